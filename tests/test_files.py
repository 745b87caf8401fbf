"""Writing is whole or not at all: failures, kills, full disks and second processes leave nothing behind."""

import errno
import hashlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ambos.errors import OutputError
from ambos.files import (
    fresh_folder,
    lock,
    new_file,
    new_folder,
    publish,
    refuse_inside,
    sha256,
    working_folder,
    write_file,
)
from ambos.write_errors import output_errors


def everything_below(folder: Path) -> set[str]:
    return {str(entry.relative_to(folder)) for entry in folder.rglob("*")}


def make_whole(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "a.txt").write_text(text)


def fail_halfway(out: Path, failure: type[BaseException], *, force: bool = False) -> None:
    before = (out / "a.txt").read_text() if force else None
    with new_folder(out, force=force, entries={"a.txt"}) as work:
        (work / "a.txt").write_text("half")
        assert before is None or (out / "a.txt").read_text() == before
        raise failure("stop")


def fail_halfway_in_a_file(out: Path, failure: type[BaseException], *, force: bool) -> None:
    with new_file(out, force=force) as work:
        work.write_text("half")
        raise failure("stop")


def stop_in_a_fresh_folder(out: Path, failure: type[BaseException], *, worth: bool = False) -> None:
    with fresh_folder(out, worth=lambda: worth):
        assert everything_below(out) == set()
        (out / "new.txt").write_text("new")
        raise failure("stop")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no folder in which nobody may write")
def test_a_place_where_nobody_may_write():
    for out in (Path("/proc/run"), Path("/proc/deep/er/run")):
        with pytest.raises(OutputError, match="cannot write here"), lock(out):
            pytest.fail("the block must not run")


class TestFreshFolder:
    def test_replaces_what_was_there(self, tmp_path):
        make_whole(tmp_path / "out", "old")
        with fresh_folder(tmp_path / "out", worth=lambda: False):
            (tmp_path / "out" / "new.txt").touch()
        assert everything_below(tmp_path) == {"out", "out/new.txt"}

    @pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
    def test_gives_the_old_one_back(self, tmp_path, failure):
        make_whole(tmp_path / "out", "old")
        with pytest.raises(failure):
            stop_in_a_fresh_folder(tmp_path / "out", failure)
        assert everything_below(tmp_path) == {"out", "out/a.txt"}

    def test_keeps_a_new_one_that_is_worth_it(self, tmp_path):
        make_whole(tmp_path / "out", "old")
        with pytest.raises(ValueError, match="stop"):
            stop_in_a_fresh_folder(tmp_path / "out", ValueError, worth=True)
        assert everything_below(tmp_path) == {"out", "out/new.txt"}

    def test_leaves_nothing_where_nothing_was(self, tmp_path):
        with pytest.raises(ValueError, match="stop"):
            stop_in_a_fresh_folder(tmp_path / "out", ValueError)
        assert everything_below(tmp_path) == set()

    def test_an_interruption_leaves_what_was_begun_where_nothing_was(self, tmp_path):
        with pytest.raises(KeyboardInterrupt):
            stop_in_a_fresh_folder(tmp_path / "out", KeyboardInterrupt)
        assert everything_below(tmp_path) == {"out", "out/new.txt"}

    @pytest.mark.parametrize("inside", ["run", "run/bundle", "link", "run/rows.csv"])
    def test_what_is_read_is_not_replaced(self, tmp_path, inside):
        (tmp_path / "run" / "bundle").mkdir(parents=True)
        (tmp_path / "run" / "rows.csv").touch()
        (tmp_path / "link").symlink_to(tmp_path / "run")
        with pytest.raises(OutputError, match="replace what it is made from"):
            refuse_inside(tmp_path / "run", ["minilm", tmp_path / inside])
        refuse_inside(tmp_path / "run", ["minilm", tmp_path / "running"])
        refuse_inside(tmp_path / "other", [tmp_path / inside])


class TestNewFolder:
    def test_gives_the_folder_only_when_the_block_ends(self, tmp_path):
        out = tmp_path / "out"
        with new_folder(out, entries={"a.txt"}) as work:
            (work / "sub").mkdir()
            (work / "sub" / "a.txt").write_text("whole")
            assert not out.exists()
            assert work.parent == tmp_path  # same file system: the rename is atomic
        assert everything_below(tmp_path) == {"out", "out/sub", "out/sub/a.txt"}

    @pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
    def test_leaves_nothing_when_the_block_fails(self, tmp_path, failure):
        with pytest.raises(failure):
            fail_halfway(tmp_path / "deep" / "er" / "out", failure)
        assert everything_below(tmp_path) == set()

    def test_makes_folders_above_that_are_missing(self, tmp_path):
        with new_folder(tmp_path / "deep" / "er" / "out", entries={"a.txt"}) as work:
            (work / "a.txt").write_text("whole")
        assert (tmp_path / "deep" / "er" / "out" / "a.txt").read_text() == "whole"

    def test_takes_an_empty_folder(self, tmp_path):
        (tmp_path / "out").mkdir()
        with new_folder(tmp_path / "out", entries={"a.txt"}) as work:
            (work / "a.txt").write_text("whole")
        assert everything_below(tmp_path) == {"out", "out/a.txt"}

    @pytest.mark.parametrize("kind", ["folder", "file", "link", "dangling link"])
    def test_refuses_what_is_there(self, tmp_path, kind):
        out = tmp_path / "out"
        make_whole(tmp_path / "elsewhere", "precious")
        if kind == "folder":
            make_whole(out, "old")
        elif kind == "file":
            out.write_text("old")
        else:
            out.symlink_to(tmp_path / ("elsewhere" if kind == "link" else "nowhere"))
        before = everything_below(tmp_path)
        with pytest.raises(OutputError, match="already there") as caught, new_folder(out, entries={"a.txt"}):
            pytest.fail("the block must not run")
        assert "--force" in caught.value.fix
        assert everything_below(tmp_path) == before

    @pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
    def test_force_spares_what_ambos_did_not_write(self, tmp_path, kind):
        out = tmp_path / "out"
        if kind == "folder":
            out.mkdir()
            (out / "thesis.txt").touch()
        elif kind == "file":
            out.write_text("thesis")
        else:
            out.symlink_to(tmp_path / "nowhere")
        before = everything_below(tmp_path)
        with (
            pytest.raises(OutputError, match="only what such a command wrote"),
            new_folder(out, entries={"a.txt"}, force=True),
        ):
            pytest.fail("the block must not run")
        assert everything_below(tmp_path) == before

    @pytest.mark.parametrize("kind", ["folder", "link"])
    def test_force_replaces_what_is_there(self, tmp_path, kind):
        out = tmp_path / "out"
        make_whole(tmp_path / "elsewhere", "precious")
        if kind == "folder":
            make_whole(out, "old")
        else:
            out.symlink_to(tmp_path / "elsewhere")
        with new_folder(out, force=True, entries={"a.txt"}) as work:
            (work / "a.txt").write_text("new")
        assert everything_below(tmp_path) == {"elsewhere", "elsewhere/a.txt", "out", "out/a.txt"}
        assert (out / "a.txt").read_text() == "new"
        assert (tmp_path / "elsewhere" / "a.txt").read_text() == "precious"

    def test_force_keeps_the_old_one_until_the_new_is_whole(self, tmp_path):
        make_whole(tmp_path / "out", "old")
        with pytest.raises(ValueError, match="stop"):
            fail_halfway(tmp_path / "out", ValueError, force=True)
        assert everything_below(tmp_path) == {"out", "out/a.txt"}
        assert (tmp_path / "out" / "a.txt").read_text() == "old"

    def test_gives_the_old_one_back_after_a_kill_between_the_two_renames(self, tmp_path):
        make_whole(tmp_path / ".out.old", "old")  # as `publish` leaves it for an instant
        with (
            pytest.raises(ValueError, match="stop"),
            new_folder(tmp_path / "out", force=True, entries={"a.txt"}),
        ):
            raise ValueError("stop")
        assert (tmp_path / "out" / "a.txt").read_text() == "old"

    def test_gives_the_old_one_back_when_the_new_cannot_take_its_place(self, tmp_path):
        make_whole(tmp_path / "out", "old")
        with pytest.raises(FileNotFoundError):
            publish(tmp_path / "not there", tmp_path / "out")
        assert (tmp_path / "out" / "a.txt").read_text() == "old"
        assert everything_below(tmp_path) == {"out", "out/a.txt"}

    def test_clears_what_a_killed_process_left(self, tmp_path):
        out = tmp_path / "out"
        run_and_kill(
            "with new_folder(Path(sys.argv[1]), entries={'a.txt'}) as work:\n"
            "    (work / 'half.txt').write_text('half')\n"
            "    print('ready', flush=True); time.sleep(60)",
            out,
        )
        assert not out.exists()
        with new_folder(out, entries={"a.txt"}) as work:
            assert not any(work.iterdir())
            (work / "a.txt").write_text("whole")
        assert everything_below(tmp_path) == {"out", "out/a.txt"}

    @pytest.mark.parametrize("out", [".", "..", "../../x", "/"])
    def test_never_replaces_the_folder_one_is_in(self, tmp_path, monkeypatch, out):
        (tmp_path / "x" / "y").mkdir(parents=True)
        (tmp_path / "x" / "y" / "precious.txt").touch()
        monkeypatch.chdir(tmp_path / "x" / "y")
        with (
            pytest.raises(OutputError, match="the folder you are in"),
            new_folder(Path(out), force=True, entries={"a.txt"}),
        ):
            pytest.fail("the block must not run")
        assert (tmp_path / "x" / "y" / "precious.txt").exists()
        assert everything_below(tmp_path) == {"x", "x/y", "x/y/precious.txt"}

    @pytest.mark.parametrize("below", ["out", "deep/er/out"])
    def test_refuses_a_place_below_a_file(self, tmp_path, below):
        (tmp_path / "file").touch()
        with pytest.raises(OutputError) as caught, new_folder(tmp_path / "file" / below, entries={"a.txt"}):
            pytest.fail("the block must not run")
        assert caught.value.found == f"{tmp_path / 'file'} is not a folder"

    @pytest.mark.parametrize("length", [250, 255, 300])
    def test_refuses_a_name_that_is_too_long(self, tmp_path, length):
        with (
            pytest.raises(OutputError, match="cannot write here") as caught,
            new_folder(tmp_path / ("a" * length), entries={"a.txt"}),
        ):
            (tmp_path / ("a" * length)).touch()
        assert caught.value.found == "File name too long"
        assert everything_below(tmp_path) == set()

    def test_works_with_a_relative_path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with new_folder(Path("out"), entries={"a.txt"}) as work:
            (work / "a.txt").touch()
        assert everything_below(tmp_path) == {"out", "out/a.txt"}


class TestNewFile:
    def test_gives_the_file_only_when_the_block_ends(self, tmp_path):
        out = tmp_path / "deep" / "out.npy"
        with new_file(out) as work:
            assert work.read_bytes() == b""
            work.write_text("whole")
            assert not out.exists()
            assert work.parent == out.parent  # same file system: the rename is atomic
        assert out.read_text() == "whole"
        assert everything_below(tmp_path) == {"deep", "deep/out.npy"}

    @pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
    @pytest.mark.parametrize("force", [False, True])
    def test_leaves_nothing_new_when_the_block_fails(self, tmp_path, failure, force):
        out = tmp_path / "deep" / "out.npy"
        if force:
            out.parent.mkdir()
            out.write_text("old")
        before = everything_below(tmp_path)
        with pytest.raises(failure):
            fail_halfway_in_a_file(out, failure, force=force)
        assert everything_below(tmp_path) == before
        assert not force or out.read_text() == "old"

    @pytest.mark.parametrize("kind", ["file", "link", "dangling link"])
    def test_refuses_what_is_there_and_replaces_it_by_force(self, tmp_path, kind):
        out = tmp_path / "out.npy"
        (tmp_path / "elsewhere").write_text("precious")
        if kind == "file":
            out.write_text("old")
        else:
            out.symlink_to(tmp_path / ("elsewhere" if kind == "link" else "nowhere"))
        before = everything_below(tmp_path)
        with pytest.raises(OutputError, match="already there") as caught, new_file(out):
            pytest.fail("the block must not run")
        assert "--force" in caught.value.fix
        assert everything_below(tmp_path) == before
        with new_file(out, force=True) as work:
            work.write_text("new")
        assert out.read_text() == "new"
        assert not out.is_symlink()
        assert (tmp_path / "elsewhere").read_text() == "precious"
        assert everything_below(tmp_path) == {"elsewhere", "out.npy"}

    @pytest.mark.parametrize("force", [False, True])
    @pytest.mark.parametrize("kind", ["folder", "link to a folder", "pipe"])
    def test_never_replaces_what_is_no_file(self, tmp_path, kind, force):
        out = tmp_path / "out.npy"
        (tmp_path / "folder").mkdir()
        if kind == "folder":
            out.mkdir()
        elif kind == "pipe":
            os.mkfifo(out)
        else:
            out.symlink_to(tmp_path / "folder")
        before = everything_below(tmp_path)
        with pytest.raises(OutputError, match="is to be a file") as caught, new_file(out, force=force):
            pytest.fail("the block must not run")
        assert caught.value.found
        assert everything_below(tmp_path) == before

    def test_a_second_writer_is_refused(self, tmp_path):
        out = tmp_path / "out.npy"
        with new_file(out) as work:
            with pytest.raises(OutputError, match="another ambos process"), new_file(out):
                pytest.fail("two writers")
            work.write_text("whole")
        assert out.read_text() == "whole"

    def test_writes_anew_what_a_killed_process_left(self, tmp_path):
        out = tmp_path / "out.npy"
        run_and_kill(
            "with new_file(Path(sys.argv[1])) as work:\n"
            "    work.write_text('half')\n"
            "    print('ready', flush=True); time.sleep(60)",
            out,
        )
        assert not out.exists()
        assert working_folder(out).read_text() == "half"
        with new_file(out) as work:
            assert work.read_bytes() == b""
            work.write_text("whole")
        assert everything_below(tmp_path) == {"out.npy"}

    @pytest.mark.parametrize("left", ["file", "folder"])
    def test_clears_anything_in_the_place_of_the_working_file(self, tmp_path, left):
        out = tmp_path / "out.npy"
        if left == "file":
            working_folder(out).write_text("half")
        else:
            make_whole(working_folder(out), "half")
        with new_file(out) as work:
            work.write_text("whole")
        assert everything_below(tmp_path) == {"out.npy"}

    def test_what_the_system_refuses_is_an_output_error(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(OutputError, match="cannot write here"), new_file(tmp_path / "file" / "out.npy"):
            pytest.fail("the block must not run")
        with pytest.raises(OutputError, match="the disk is full"), new_file(tmp_path / "out.npy"):
            raise OSError(errno.ENOSPC, "x")
        assert everything_below(tmp_path) == {"file"}


class TestOutputErrors:
    @pytest.mark.parametrize(
        ("error", "what"),
        [
            (OSError(errno.ENOSPC, "x"), "the disk is full"),
            (OSError(errno.EDQUOT, "x"), "the disk is full"),
            (Exception("No space left on device (os error 28)"), "the disk is full"),  # from a Rust library
            (OSError(errno.EFBIG, "x"), "larger than is allowed"),
            (PermissionError(errno.EACCES, "x"), "cannot write here"),
            (OSError(errno.EROFS, "x"), "cannot write here"),
        ],
    )
    def test_refusals_of_the_system_become_output_errors(self, error, what):
        with pytest.raises(OutputError, match=what) as caught, output_errors(Path("out")):
            raise error
        assert caught.value.file == "out"
        assert caught.value.fix
        assert caught.value.__cause__ is error

    @pytest.mark.parametrize(
        "error", [ValueError("a bug"), OSError(errno.EIO, "a broken disk"), OSError("?")]
    )
    def test_other_errors_pass(self, error):
        with pytest.raises(type(error)) as caught, output_errors(Path("out")):
            raise error
        assert caught.value is error


class TestLock:
    def test_refuses_a_second_holder_and_lets_a_later_one_in(self, tmp_path):
        out = tmp_path / "out"
        with lock(out):
            with pytest.raises(OutputError, match="another ambos process") as caught, lock(out):
                pytest.fail("two holders")
            assert caught.value.fix
        with lock(out):
            pass
        assert everything_below(tmp_path) == set()

    def test_one_may_stand_in_what_is_not_replaced(self, tmp_path, monkeypatch):
        out = tmp_path / "out"
        out.mkdir()
        monkeypatch.chdir(out)
        with (
            lock(Path(), stays=True),
            pytest.raises(OutputError, match="another ambos process"),
            lock(out, stays=True),
        ):
            pytest.fail("two holders")
        with pytest.raises(OutputError, match="the folder you are in"), lock(Path()):
            pytest.fail("it would be replaced")

    def test_does_not_hold_other_outputs(self, tmp_path):
        with lock(tmp_path / "one"), lock(tmp_path / "two"):
            assert everything_below(tmp_path) == {".one.lock", ".two.lock"}

    def test_refuses_a_second_process_and_is_released_by_sigkill(self, tmp_path):
        out = tmp_path / "out"
        holder = start("with lock(Path(sys.argv[1])):\n    print('ready', flush=True); time.sleep(60)", out)
        try:
            with pytest.raises(OutputError, match="another ambos process"), lock(out):
                pytest.fail("two holders")
        finally:
            holder.kill()
            holder.communicate()
        assert holder.returncode == -signal.SIGKILL
        with lock(out):
            pass
        assert everything_below(tmp_path) == set()


class TestWriteFile:
    def test_replaces_the_whole(self, tmp_path):
        path = tmp_path / "a.json"
        path.write_bytes(b"a longer old text")
        write_file(path, b"new")
        assert path.read_bytes() == b"new"
        assert everything_below(tmp_path) == {"a.json"}

    def test_is_on_the_disk_with_its_name(self, tmp_path, monkeypatch):
        """The bytes before the new name, and the folder that has it after: a power cut loses neither."""
        path, forced = tmp_path / "a.json", []

        def fsync(descriptor):
            forced.append((os.fstat(descriptor).st_ino, path.exists()))

        monkeypatch.setattr(os, "fsync", fsync)
        write_file(path, b"new")
        assert forced == [(path.stat().st_ino, False), (tmp_path.stat().st_ino, True)]

    def test_several_processes_take_turns(self, tmp_path):
        """None fails, and what is there is always whole."""
        path = tmp_path / "a.json"
        script = (
            "import sys; from pathlib import Path; from ambos.files import write_file\n"
            "parts = [sys.argv[2].encode() * 1000] * 100\n"
            "for _ in range(60): write_file(Path(sys.argv[1]), parts)"
        )
        path.write_bytes(b"0" * 100_000)
        writers = [subprocess.Popen([sys.executable, "-c", script, path, digit]) for digit in "123"]
        while any(writer.poll() is None for writer in writers):
            data = path.read_bytes()
            assert (len(data), len(set(data))) == (100_000, 1)
        assert [writer.returncode for writer in writers] == [0, 0, 0]
        assert everything_below(tmp_path) == {"a.json"}

    def test_keeps_the_old_when_there_is_no_room(self, tmp_path):
        path = tmp_path / "a.json"
        path.write_bytes(b"old")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                write_file(path, bytes(2000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == b"old"
        assert everything_below(tmp_path) == {"a.json"}


def test_sha256_agrees_with_hashlib(tmp_path):
    data = os.urandom(100_000)
    (tmp_path / "a").write_bytes(data)
    assert sha256(tmp_path / "a") == hashlib.sha256(data).hexdigest()


def test_working_folder_is_a_hidden_sibling(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert working_folder(Path("store.v1")) == tmp_path / ".store.v1.partial"
    assert working_folder(Path("a/../b/")) == tmp_path / ".b.partial"


IMPORTS = "import sys, time\nfrom pathlib import Path\nfrom ambos.files import lock, new_file, new_folder\n"


def start(program: str, out: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTS + program, str(out)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def run_and_kill(program: str, out: Path) -> None:
    process = start(program, out)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
