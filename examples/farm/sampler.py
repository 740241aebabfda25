#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same as sampler.c in Python: a piece of a farm that samples a function where its loss is largest."""

import bisect
import math
import os
import sys
import time

import xylem_farm


class Sampler:
    """Points in ascending order of x; the next one halves the interval with the largest loss."""

    def __init__(self, path):
        self.path = path
        self.points = []
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                self.points = [tuple(map(float, line.split())) for line in file]

    def worst(self):
        """The largest loss and the interval that has it: the longest piece of the curve."""
        pairs = zip(self.points, self.points[1:])
        losses = [(math.hypot(b[0] - a[0], b[1] - a[1]), -i) for i, (a, b) in enumerate(pairs)]
        return max(losses, default=(None, 0))

    def next(self):
        if len(self.points) < 2:
            return (-1.0, 1.0)[len(self.points)]
        interval = -self.worst()[1]
        return (self.points[interval][0] + self.points[interval + 1][0]) / 2

    def add(self, x, y):
        bisect.insort(self.points, (x, y))

    def save(self):
        """Replaces the file as a whole, so that a crash leaves the old points or the new ones."""
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.writelines("{!r} {!r}\n".format(x, y) for x, y in self.points)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)


def function(x, width, centre, delay):
    time.sleep(delay)
    return x + width**2 / (width**2 + (x - centre) ** 2)


def main():
    delay = float(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0
    piece = xylem_farm.claim()
    if piece is None:
        return 0  # nothing is left to do
    sampler = Sampler(os.path.join(piece.folder, "points"))
    while not piece.is_reached(len(sampler.points), sampler.worst()[0]):
        x = sampler.next()
        with piece.work():
            y = function(x, piece.params["width"], piece.params["centre"], delay)
        sampler.add(x, y)
        piece.progress(len(sampler.points), sampler.worst()[0])
        if piece.checkpoint(sampler.save):
            return xylem_farm.AGAIN
    sampler.save()
    piece.done()
    return 0


if __name__ == "__main__":
    sys.exit(main())
