#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation runner: changes one operator or constant of the library at a time and runs the unit tests.

A mutant is compiled from a copy of its source file, and its object is put before libxylem-all.a when the
test programs are linked. Neither the sources nor the objects of the build folder change.
"""
import argparse
import collections
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

# --- mutants ---

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/ | //[^\n]* | ^[ \t]*\#(?:[^\n\\]|\\.)* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:.,;(){}\[\]])
""", re.X | re.S | re.M)

# Between two spaces, where they can't be taken for the operators of one operand.
BINARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
          "+": "-", "-": "+", "*": "/", "/": "*", "%": "+", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
          "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="}
UNARY = {"++": "--", "--": "++", "!": "", "~": ""}
WORDS = {"true": "false", "false": "true", "break": "continue", "continue": "break", "fmin": "fmax", "fmax": "fmin",
         "INFINITY": "0.0", "min": "max", "max": "min"}

Mutant = collections.namedtuple("Mutant", "file line column old new text")


def replacement(kind, token, before, after):
    """What a token becomes, or None if it stays."""
    if kind == "number":
        return {"0": "1", "1": "0"}.get(token, "(%s + 1)" % token)
    if kind == "word":
        return None if before == "." else WORDS.get(token)
    if kind == "operator":
        if token in BINARY and before.isspace() and after.isspace():
            return BINARY[token]
        return UNARY.get(token)
    return None


def mutants_of(top, file):
    with open(os.path.join(top, file), encoding="utf-8") as f:
        source = f.read()
    lines = source.split("\n")
    for match in TOKEN.finditer(source):
        begin, end = match.span()
        new = replacement(match.lastgroup, match.group(), source[begin - 1:begin], source[end:end + 1])
        line = source.count("\n", 0, begin)
        if new is None or "assert" in lines[line]:
            continue
        column = begin - (source.rfind("\n", 0, begin) + 1)
        yield Mutant(file, line + 1, column + 1, match.group(), new, " ".join(lines[line].split()))


def mutated(top, mutant):
    """The text of the file with the mutant in it, also if the line has moved; None if it is gone."""
    with open(os.path.join(top, mutant.file), encoding="utf-8") as f:
        lines = f.read().split("\n")
    at = mutant.column - 1
    places = [i for i, line in enumerate(lines)
              if " ".join(line.split()) == mutant.text and line.startswith(mutant.old, at)]
    if not places:
        return None
    i = min(places, key=lambda i: abs(i - mutant.line + 1))
    lines[i] = lines[i][:at] + mutant.new + lines[i][at + len(mutant.old):]
    return "\n".join(lines)


# --- the build folder ---

class Build:
    """What the makefile of a build folder says about compiling and linking."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        subprocess.run(["make", "-C", self.folder, "check", "TESTS="], check=True, stdout=subprocess.DEVNULL)
        self.top = os.path.abspath(os.path.join(self.folder, self.ask("$(top_srcdir)")))
        flags = "$(DEFS) $(DEFAULT_INCLUDES) $(libxylem_all_la_CPPFLAGS) $(CPPFLAGS) $(libxylem_all_la_CFLAGS) $(CFLAGS)"
        self.cc = [word for word in shlex.split(self.ask("$(CC)")) if word != "ccache"]
        self.flags = [flag for flag in shlex.split(self.ask(flags)) if flag != "-Werror"] + ["-g0", "-fPIC"]
        self.sanitizes = any(flag.startswith("-fsanitize") for flag in self.flags)
        self.environment = dict(os.environ, XYLEM_MODELS="none", LOCPATH=self.folder + "/tests/locale",
                                LSAN_OPTIONS="suppressions=%s/tests/suppressions:print_suppressions=0" % self.top,
                                XYLEM_DRIVERS=self.folder + "/src/drivers/.libs")

    def ask(self, text):
        text = text.replace("'", "'\\''")
        return subprocess.run(["make", "-s", "-C", self.folder, "--no-print-directory",
                               "--eval", "mutate-ask:;@printf '%%s\\n' '%s'" % text, "mutate-ask"],
                              check=True, capture_output=True, text=True).stdout.strip()

    def tests(self):
        """The unit tests: programs that hold the objects of the library."""
        return [test for test in self.ask("$(unit_tests) $(one_thread_tests)").split()
                if os.path.exists(os.path.join(self.folder, test))]

    def library(self, name):
        """What to give the linker for a libtool library of the build folder."""
        with open(os.path.join(self.folder, name), encoding="utf-8") as f:
            fields = dict(re.findall(r"^(\w+)='(.*)'$", f.read(), re.M))
        libs = os.path.join(self.folder, os.path.dirname(name), ".libs")
        if fields.get("dlname"):
            return [os.path.join(libs, fields["dlname"]), "-Wl,-rpath," + libs]
        return [os.path.join(libs, fields["old_library"])] + shlex.split(fields.get("dependency_libs", ""))

    def link_command(self, test):
        """The command that links a test, without the output and the mutant."""
        name = re.sub(r"\W", "_", test)
        asked = self.ask("$(%s_OBJECTS)|$(or $(%s_LDADD),$(LDADD))|$(or $(%s_LDFLAGS),$(AM_LDFLAGS))|$(LIBS)" %
                         (name, name, name))
        objects, libraries, flags, more = (shlex.split(part) for part in asked.split("|"))
        libraries = [part for lib in libraries for part in (self.library(lib) if lib.endswith(".la") else [lib])]
        flags = ["-rdynamic" if flag == "-export-dynamic" else flag for flag in flags]
        flags += [flag for flag in shlex.split(self.ask("$(%s_CFLAGS)" % name)) if flag == "-fopenmp"]
        return self.cc + flags, objects + libraries + more


# --- running ---

def limit_memory(build):
    """A mutant that allocates for ever must not take the machine with it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not build.sanitizes:   # a sanitizer maps terabytes
        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))


def run(command, build, seconds):
    """How a test ended: None if it passed, or in a few words."""
    process = subprocess.Popen(command, cwd=build.folder, env=build.environment, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: limit_memory(build))
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    if status is None:
        return "timeout"
    return "signal %d" % -status if status < 0 else "failed" if status else None


class Runner:
    def __init__(self, build, work, patterns, slowest):
        self.build, self.work = build, work
        self.seconds, self.links = {}, {}
        self.kills = collections.Counter()   # by (file, test)
        os.makedirs(work, exist_ok=True)
        for test in build.tests():
            if re.search(patterns, test):
                self.measure(test, slowest)
        if not self.seconds:
            sys.exit("no test is fast enough or matches")

    def measure(self, test, slowest):
        """A test that fails or takes too long without a mutant is left out."""
        self.links[test] = self.build.link_command(test)
        program, begin = self.link(test, []), time.monotonic()
        how = run([program], self.build, slowest) if program else "does not link"
        if how:
            print("left out: %s: %s" % (test, how), flush=True)
        else:
            self.seconds[test] = time.monotonic() - begin

    def link(self, test, objects):
        before, after = self.links[test]
        program = os.path.join(self.work, "test")
        done = subprocess.run(before + ["-o", program] + objects + after, cwd=self.build.folder,
                              capture_output=True, check=False)
        return None if done.returncode else program

    def compile(self, file, text):
        """The object of a text of a file as bytes, and its path; None if it does not compile."""
        source, object_ = os.path.join(self.work, "mutant.c"), os.path.join(self.work, "mutant.o")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        here = os.path.join(self.build.top, os.path.dirname(file))
        done = subprocess.run(self.build.cc + self.build.flags + ["-iquote", here, "-c", source, "-o", object_],
                              cwd=self.build.folder, capture_output=True, check=False)
        if done.returncode:
            return None, object_
        with open(object_, "rb") as f:
            return f.read(), object_

    def order(self, file):
        """The tests, those first that have found most in this file, then those named like it, then fast ones."""
        words = re.split(r"[/_.]", file)

        def key(test):
            common = len(os.path.commonprefix([words[1:], re.split(r"[/_.]", test)[1:]]))
            return -self.kills[file, test], -common, self.seconds[test]
        return sorted(self.seconds, key=key)

    def try_mutant(self, mutant, originals):
        text = mutated(self.build.top, mutant)
        if text is None:
            return "changed", ""
        if mutant.file not in originals:
            with open(os.path.join(self.build.top, mutant.file), encoding="utf-8") as f:
                originals[mutant.file] = self.compile(mutant.file, f.read())[0]
        code, object_ = self.compile(mutant.file, text)
        if code is None:
            return "not compiled", ""
        if code == originals[mutant.file]:
            return "same code", ""
        for test in self.order(mutant.file):
            program = self.link(test, [object_])
            if not program:
                sys.exit("%s does not link with a mutant of %s" % (test, mutant.file))
            how = run([program], self.build, 3 + 5 * self.seconds[test])
            if how:
                self.kills[mutant.file, test] += 1
                return "killed", "%s: %s" % (test, how)
        return "survived", ""


# --- results ---

def key_of(mutant):
    return tuple(str(field) for field in mutant)


def read_results(path):
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                fields = line.rstrip("\n").split("\t")
                if len(fields) == 8:
                    results[tuple(fields[:6])] = tuple(fields[6:])
    return results


def report(results):
    by_file = collections.defaultdict(collections.Counter)
    kinds = ["killed", "survived", "same code", "not compiled"]
    for key, (status, _) in results.items():
        by_file[key[0]][status] += 1
        by_file["all"][status] += 1
    print("%-44s" % "file" + "".join("%14s" % kind for kind in kinds))
    for file in sorted(by_file, key=lambda name: (name == "all", name)):
        print("%-44s" % file + "".join("%14d" % by_file[file][kind] for kind in kinds))
    for key in sorted((key for key in results if results[key][0] == "survived"),
                      key=lambda k: (k[0], int(k[1]), int(k[2]))):
        print("%s:%s:%s: %s -> %s: %s" % (key[0], key[1], key[2], key[3], key[4] or "nothing", key[5]))


def files_of(top, names):
    for name in names:
        path = os.path.join(top, name)
        if os.path.isfile(path):
            yield name
            continue
        found = [os.path.relpath(os.path.join(folder, file), top)
                 for folder, _, files in os.walk(path) for file in files if file.endswith(".c")]
        if not found:
            sys.exit("no sources in %s" % name)
        yield from sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build folder; it is brought up to date first")
    parser.add_argument("sources", nargs="*", help="folders or files from the top of the sources, as src/components")
    parser.add_argument("-o", "--results", default="mutants.tsv", help="results; a run goes on where this ends")
    parser.add_argument("-n", "--count", type=int, help="at most so many mutants, by chance")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--minutes", type=float, help="begin no mutant after this time")
    parser.add_argument("--tests", default=".", help="regular expression of the tests to run")
    parser.add_argument("--slowest", type=float, default=5, help="leave tests out that take more seconds than this")
    parser.add_argument("--again", action="store_true", help="try only the survivors in the results once more")
    parser.add_argument("--work", default="mutate.work", help="folder for what is compiled")
    parser.add_argument("--report", action="store_true", help="only print what the results say")
    args = parser.parse_args()

    results = read_results(args.results)
    if args.report:
        report(results)
        return
    build = Build(args.build)
    if args.again:
        chosen = [Mutant(k[0], int(k[1]), int(k[2]), *k[3:]) for k in results if results[k][0] == "survived"]
    else:
        chosen = [m for file in files_of(build.top, args.sources) for m in mutants_of(build.top, file)]
        random.Random(args.seed).shuffle(chosen)
        chosen = [m for m in chosen[:args.count] if key_of(m) not in results]
    print("%d mutants to try" % len(chosen), flush=True)
    runner = Runner(build, os.path.abspath(args.work), args.tests, args.slowest)
    end = time.monotonic() + 60 * args.minutes if args.minutes else float("inf")
    originals = {}
    with open(args.results, "a", encoding="utf-8") as f:
        for mutant in chosen:
            if time.monotonic() >= end:
                break
            status, by = runner.try_mutant(mutant, originals)
            results[key_of(mutant)] = status, by
            f.write("\t".join(key_of(mutant) + (status, by)) + "\n")
            f.flush()
    report(results)


main()
