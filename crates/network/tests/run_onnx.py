"""Runs an ONNX network with onnxruntime: the test of the export in `src/onnx/tests.rs` calls it.

    run_onnx.py MODEL PLANES BOARDS    PLANES is a file of 32-bit floats, [BOARDS][planes][8][8]

Prints JSON: each output by name as a list for each board, and the metadata.
"""

import json
import sys

import numpy
import onnxruntime

model, planes, boards = sys.argv[1], sys.argv[2], int(sys.argv[3])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
(entry,) = session.get_inputs()
assert entry.name == "planes" and entry.shape[0] == "batch" and entry.shape[2:] == [8, 8], entry
batch = numpy.fromfile(planes, dtype="<f4").reshape(boards, entry.shape[1], 8, 8)
names = [output.name for output in session.get_outputs()]
answers = session.run(names, {"planes": batch})
# The batch is dynamic: one board alone is answered like one among many.
for whole, alone in zip(answers, session.run(names, {"planes": batch[:1]})):
    numpy.testing.assert_allclose(whole[:1], alone, atol=1e-4)
answer = {name: values.tolist() for name, values in zip(names, answers)}
answer["metadata"] = session.get_modelmeta().custom_metadata_map
print(json.dumps(answer))
