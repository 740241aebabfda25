# SPDX-License-Identifier: MIT
"""Inside a job of a Xylem farm: the piece of work, saving and resuming it, progress, and its end.

    import sys
    import xylem_farm

    piece = xylem_farm.claim()
    if piece is None:
        sys.exit()                               # nothing is left to do
    data = load(piece.folder)
    while not piece.is_reached(data.points, data.loss):
        with piece.work():
            data.add(f(data.next(), **piece.params))
        piece.progress(data.points, data.loss)
        if piece.checkpoint(lambda: data.save(piece.folder)):
            sys.exit(xylem_farm.AGAIN)           # SIGTERM: it is saved and will be run again
    data.save(piece.folder)
    piece.done()

This file needs nothing but Python's own library. doc/farm-jobs.md is the contract behind it. The main thread
claims a piece and calls its methods; a process has one piece at a time.
"""

import contextlib
import json
import math
import os
import resource
import signal
import socket
import subprocess
import time

__all__ = ["AGAIN", "NotInAFarm", "Piece", "claim"]

AGAIN = 75  # exit status of a program that saved its work and wants to be run again


class NotInAFarm(RuntimeError):
    """This process is in no job of a farm."""


def _quote_file(name):
    """A name as a file name."""
    plain = b"+,-.=@_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = ""
    for place, byte in enumerate(os.fsencode(name)):
        if byte in plain and not (place == 0 and byte == ord(".")):
            text += chr(byte)
        else:
            text += "%{:02X}".format(byte)
    return text


def _variable(name, otherwise=None):
    return os.environ.get("XYLEM_FARM_" + name) or otherwise


def _seconds(name, otherwise):
    try:
        return float(_variable(name, otherwise))
    except ValueError:
        return float(otherwise)


def _needed(name):
    value = _variable(name)
    if value is None:
        raise NotInAFarm("XYLEM_FARM_" + name + " is not set: this is no job of a farm")
    return value


def _create(folder, kind, name, job, content):
    """Makes FOLDER/KIND/NAME, complete at once; False if it is there already."""
    aside = os.path.join(folder, kind, ".{}.{}".format(_quote_file(job), os.getpid()))
    with open(aside, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, separators=(",", ":")) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(aside, os.path.join(folder, kind, name))
        return True
    except FileExistsError:
        return False
    finally:
        os.unlink(aside)


def _is_own(folder, name, job):
    try:
        with open(os.path.join(folder, "claims", name), encoding="utf-8") as file:
            return json.load(file).get("job") == job
    except (OSError, ValueError, AttributeError):
        return False


def _open_piece(folder, which, job):
    """Claims the job's own piece of an earlier start, or the first open one of a set; None: nothing is open."""
    with open(os.path.join(folder, "pieces.jsonl"), encoding="utf-8") as file:
        pieces = [json.loads(line) for line in file if line.strip()]
    claims = set(os.listdir(os.path.join(folder, "claims")))
    done = set(os.listdir(os.path.join(folder, "done")))
    pieces = [piece for piece in pieces if piece["set"] == which and piece["file"] not in done]
    for piece in pieces:
        if piece["file"] in claims and _is_own(folder, piece["file"], job):
            return piece
    for piece in pieces:
        if piece["file"] in claims or not done.issuperset(piece.get("depends_on", ())):
            continue
        content = {"job": job, "host": socket.gethostname(), "pid": os.getpid(), "time": int(time.time())}
        if _create(folder, "claims", piece["file"], job, content):
            return piece
    return None


def claim():
    """Claims the piece that the job script chose, or the first open one if the farm leaves it to the program.

    None if nothing is open; NotInAFarm outside of a job. From then on SIGTERM and SIGUSR1 are noted for
    Piece.checkpoint, unless the program handles them itself.
    """
    folder, job = _needed("FOLDER"), _needed("JOB")
    if _variable("PIECE"):
        found = {"name": _needed("PIECE"), "file": _needed("FILE"), "params": json.loads(_variable("PARAMS", "{}")),
                 "goal": json.loads(_variable("GOAL", "{}"))}
        if os.path.exists(os.path.join(folder, "done", found["file"])):
            return None
    else:
        found = _open_piece(folder, _needed("SET"), job)
        if found is None:
            return None
    return Piece(folder, job, found)


def _cpu_seconds():
    """CPU time of this process and of those that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _memory():
    """Bytes of memory that this process has now; None: not known."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return None


class Piece:
    """A piece of work that this process has claimed: name, params, folder for what it saves, goal."""

    def __init__(self, farm, job, found):
        self._farm, self._job, self._file = farm, job, found["file"]
        self.name = found["name"]
        self.params = found.get("params") or {}
        self.goal = found.get("goal") or {}
        self.folder = os.path.join(farm, "data", self._file)
        os.makedirs(self.folder, exist_ok=True)
        self.save_interval = _seconds("SAVE_INTERVAL", 300)
        self.log_interval = _seconds("LOG_INTERVAL", 30)
        self._claimed = self._saved = self._logged = time.monotonic()
        self._cpu = _cpu_seconds()
        self._lines = 0
        self._news = None
        self._work = None
        self._reached = False
        self._asked = None
        self._end = self._warned = False
        self._handlers = []
        for number, note in ((signal.SIGTERM, self._note_end), (signal.SIGUSR1, self._note_warning)):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, note)
                self._handlers.append(number)

    def _note_end(self, _number, _frame):
        self._end = True

    def _note_warning(self, _number, _frame):
        self._warned = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Gives the signals back. The claim stays: a piece that is not done is run again."""
        for number in self._handlers:
            signal.signal(number, signal.SIG_DFL)
        self._handlers = []

    def checkpoint(self, save, interval=None):
        """Calls save() if interval seconds (default: the farm's save_interval) have passed or a signal has come.

        True: SIGTERM came and the work is saved, so the program should end with AGAIN. save replaces its file as a
        whole: it writes another one and calls os.replace. If it raises, it is called again next time.
        """
        if interval is None:
            interval = self.save_interval
        if self._end or self._warned or time.monotonic() - self._saved >= interval:
            save()
            self._warned = False
            self._saved = time.monotonic()
        return self._end

    @contextlib.contextmanager
    def work(self):
        """Around the user's own function: the rest of the time is called overhead in lines of progress."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._work = (self._work or 0) + time.monotonic() - max(began, self._logged)

    def progress(self, points, loss=None, text=None):
        """Says how far the work is; writes a line each log_interval at most."""
        self._news = (points, loss, text)
        if self._lines == 0 or time.monotonic() - self._logged >= self.log_interval:
            self._write_line()

    def _write_line(self):
        points, loss, text = self._news
        now, cpu, memory = time.monotonic(), _cpu_seconds(), _memory()
        since = now - self._logged
        line = {"time": round(time.time(), 3), "job": self._job, "points": points}
        if loss is not None and math.isfinite(loss):
            line["loss"] = loss
        if since > 0:
            line["cpu"] = round(100 * (cpu - self._cpu) / since, 1)
        if memory is not None:
            line["memory"] = memory
        if self._work is not None and since > 0:
            line["overhead"] = round(100 * max(0, 1 - self._work / since), 1)
        if text is not None:
            line["text"] = str(text)
        path = os.path.join(self._farm, "progress", self._file + ".jsonl")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(file, (json.dumps(line, separators=(",", ":")) + "\n").encode())
        finally:
            os.close(file)
        self._logged, self._cpu, self._news = now, cpu, None
        self._lines += 1
        if self._work is not None:
            self._work = 0

    def is_reached(self, points=0, loss=None):
        """Whether the goal of the farm is reached; always False for a farm without a goal.

        A goal is a number of points, a loss, seconds since the claim, or a command that exits with 0 (run each
        log_interval at most).
        """
        goal, now = self.goal, time.monotonic()
        if self._reached:
            return True
        if goal.get("points") is not None and points >= goal["points"]:
            self._reached = True
        elif goal.get("loss") is not None and loss is not None and loss <= goal["loss"]:
            self._reached = True
        elif goal.get("time") is not None and now - self._claimed >= goal["time"]:
            self._reached = True
        elif goal.get("command") and (self._asked is None or now - self._asked >= self.log_interval):
            self._asked = now
            try:
                self._reached = subprocess.call(goal["command"]) == 0
            except OSError:
                pass
        return self._reached

    def done(self):
        """Says that the piece is done, whatever the goal is: it is never run again. Save before."""
        if self._news is not None:
            self._write_line()
        _create(self._farm, "done", self._file, self._job, {"job": self._job, "time": int(time.time())})
