"""Samples a second from a store into NumPy arrays: python benches/batches.py STORE [INPUT...]

`taskset -c 0` measures one core. Each figure is the best of three epochs, the reading of the first window included; the reference is
an epoch of packed planes, which are not written out square by square.
"""

import sys
import time

import tabiya

SIZE = 1024


def measure(store, **options):
    """Samples a second, the best of three epochs of at most 600 batches."""
    best = 0.0
    for epoch in range(3):
        begin, samples = time.perf_counter(), 0
        for number, batch in enumerate(store.batches(SIZE, epoch=epoch, **options)):
            samples += len(batch)
            if number == 600:
                break
        best = max(best, samples / (time.perf_counter() - begin))
    return best


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__.splitlines()[0])
    with tabiya.Store(sys.argv[1]) as store:
        print(store)
        for name in sys.argv[2:] or ["tabiya"]:
            floats, packed = measure(store, input=name), measure(store, input=name, packed=True)
            print(f"{name}: {floats:,.0f} samples/s as float32 planes, {packed:,.0f} packed ({floats / packed:.2f} x)")


if __name__ == "__main__":
    main()
