# SPDX-License-Identifier: MIT
"""xylem_farm.py in folders made as doc/farm-jobs.md says: claims, goals, progress, checkpoints, ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import xylem_farm

WORK_OFF = """
import sys, xylem_farm
n = 0
while True:
    piece = xylem_farm.claim()
    if piece is None:
        break
    with open(piece.folder + "/ran", "a") as file:
        file.write("x")
    piece.done()
    piece.close()
    n += 1
print(n)
"""


class Farm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        for kind in ("claims", "done", "progress", "ended", "logs", "data"):
            os.mkdir(os.path.join(self.folder, kind))
        for name in [name for name in os.environ if name.startswith("XYLEM_FARM_")]:
            del os.environ[name]
        os.environ.update(XYLEM_FARM_FOLDER=self.folder, XYLEM_FARM_SET="s1", XYLEM_FARM_JOB="12_3",
                          XYLEM_FARM_SAVE_INTERVAL="1000", XYLEM_FARM_LOG_INTERVAL="1000")
        self.pieces({"name": "c", "set": "s2"}, {"name": "b", "depends_on": ["a"]},
                    {"name": "a", "params": {"x": -0.5}, "goal": {"points": 3}})
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def pieces(self, *pieces):
        with open(os.path.join(self.folder, "pieces.jsonl"), "w") as file:
            for piece in pieces:
                file.write(json.dumps({"file": piece["name"], "set": "s1", "argv": [], **piece}) + "\n")

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def given(self, goal="{}"):
        os.environ.update(XYLEM_FARM_PIECE="a b", XYLEM_FARM_FILE="a%20b", XYLEM_FARM_GOAL=goal)
        return xylem_farm.claim()

    def test_takes_the_first_piece_that_is_open(self):
        with xylem_farm.claim() as piece:
            self.assertEqual((piece.name, piece.params), ("a", {"x": -0.5}))
            self.assertEqual(json.loads(self.read("claims/a"))["job"], "12_3")
            os.environ["XYLEM_FARM_JOB"] = "12_4"
            self.assertIsNone(xylem_farm.claim())
            piece.done()
            piece.done()
        self.assertEqual(json.loads(self.read("done/a"))["job"], "12_3")
        with xylem_farm.claim() as piece:
            self.assertEqual(piece.name, "b")

    def test_goes_on_with_its_own_piece(self):
        self.pieces({"name": "b"}, {"name": "a"})
        with open(os.path.join(self.folder, "claims", "a"), "w") as file:
            file.write('{"job":"12_3"}\n')
        with xylem_farm.claim() as piece:
            self.assertEqual(piece.name, "a")
        self.assertEqual(os.listdir(os.path.join(self.folder, "claims")), ["a"])

    def test_gives_each_piece_to_one_of_many_jobs(self):
        self.pieces(*({"name": "p{}".format(i)} for i in range(30)))
        jobs = [subprocess.Popen([sys.executable, "-c", WORK_OFF], stdout=subprocess.PIPE,
                                 env={**os.environ, "XYLEM_FARM_JOB": "job_{}".format(i)}) for i in range(4)]
        self.assertEqual(sum(int(job.communicate(timeout=60)[0]) for job in jobs), 30)
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "claims"))), 30)
        for i in range(30):
            self.assertEqual(self.read("data/p{}/ran".format(i)), "x")

    def test_knows_where_it_is(self):
        del os.environ["XYLEM_FARM_JOB"]
        self.assertRaisesRegex(xylem_farm.NotInAFarm, "XYLEM_FARM_JOB is not set", xylem_farm.claim)
        del os.environ["XYLEM_FARM_FOLDER"]
        self.assertRaisesRegex(xylem_farm.NotInAFarm, "XYLEM_FARM_FOLDER is not set", xylem_farm.claim)

    def test_does_not_take_a_given_piece_that_is_done(self):
        with self.given() as piece:
            piece.done()
        self.assertIsNone(xylem_farm.claim())

    def test_reaches_each_kind_of_goal(self):
        for goal, points, loss, reached in (
            ('{"points":3}', 2, None, False), ('{"points":3}', 3, None, True), ('{"loss":0.1}', 9, 0.11, False),
            ('{"loss":0.1}', 0, 0.1, True), ('{"loss":0.1}', 9, None, False), ('{"time":1000}', 9, 0, False),
            ('{"time":0}', 0, None, True), ('{"command":["false"]}', 9, 0, False), ('{"command":["true"]}', 0, None, True),
            ('{"command":["./no such command"]}', 9, 0, False), ('{"command":[]}', 9, 0, False), ("{}", 9, 0, False),
        ):
            with self.given(goal) as piece:
                self.assertEqual(piece.is_reached(points, loss), reached, goal)

    def test_writes_progress_at_intervals(self):
        with self.given() as piece:
            piece.progress(1, 0.5, 'say "x"\n')
            for i in range(2, 100):
                piece.progress(i, float("nan"))
            # By a clock of the test: seven of the last ten seconds are work.
            times = [piece._logged + 2, piece._logged + 9, piece._logged + 10]
            with unittest.mock.patch("time.monotonic", side_effect=times):
                with piece.work():
                    pass
                piece.done()
        first, last = map(json.loads, self.read("progress/a%20b.jsonl").splitlines())
        self.assertEqual((first["points"], first["loss"], first["text"], first["job"]), (1, 0.5, 'say "x"\n', "12_3"))
        self.assertGreater(first["memory"], 1000000)
        self.assertGreaterEqual(first["cpu"], 0)
        self.assertNotIn("overhead", first)
        self.assertEqual(last["points"], 99)
        self.assertNotIn("loss", last)
        self.assertEqual(last["overhead"], 30)

    def test_saves_on_time_and_after_signals(self):
        calls = []
        with self.given() as piece:
            self.assertFalse(piece.checkpoint(lambda: calls.append(1)))
            self.assertFalse(piece.checkpoint(lambda: calls.append(2), 0))
            self.assertRaises(ZeroDivisionError, piece.checkpoint, lambda: 1 / 0, 0)
            os.kill(os.getpid(), signal.SIGUSR1)
            self.assertRaises(ZeroDivisionError, piece.checkpoint, lambda: 1 / 0)
            self.assertFalse(piece.checkpoint(lambda: calls.append(3)))
            self.assertFalse(piece.checkpoint(lambda: calls.append(4)))
            os.kill(os.getpid(), signal.SIGTERM)
            self.assertTrue(piece.checkpoint(lambda: calls.append(5)))
        self.assertEqual(calls, [2, 3, 5])
        self.assertIs(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_leaves_handlers_of_the_program_alone(self):
        seen = []
        signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
        with self.given() as piece:
            os.kill(os.getpid(), signal.SIGTERM)
            self.assertFalse(piece.checkpoint(lambda: seen.append(2)))
        self.assertEqual(seen, [1])


if __name__ == "__main__":
    unittest.main()
