"""Samples a second from a store into NumPy arrays: python benches/batches.py STORE [INPUT...]

Samples are counted by the clock and by the processor time of all threads, which is the speed of one core that does nothing else;
`taskset -c 0` has one core by the clock too. Each figure is the best of three epochs, the reading of the first window included; the
reference is an epoch of packed planes, which are not written out square by square.
"""

import sys
import time

import tabiya

SIZE = 1024


def measure(store, **options):
    """Samples a second and a second of processor time, each the best of three epochs of at most 600 batches."""
    clock = processor = 0.0
    for epoch in range(3):
        begin, samples = (time.perf_counter(), time.process_time()), 0
        for number, batch in enumerate(store.batches(SIZE, epoch=epoch, **options)):
            samples += len(batch)
            if number == 600:
                break
        clock = max(clock, samples / (time.perf_counter() - begin[0]))
        processor = max(processor, samples / (time.process_time() - begin[1]))
    return clock, processor


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__.splitlines()[0])
    with tabiya.Store(sys.argv[1]) as store:
        print(store)
        for name in sys.argv[2:] or ["tabiya"]:
            for form, packed in (("float32 planes", False), ("packed planes", True)):
                clock, processor = measure(store, input=name, packed=packed)
                print(f"{name}, {form}: {clock:,.0f} samples/s by the clock, {processor:,.0f} a second of one core")


if __name__ == "__main__":
    main()
