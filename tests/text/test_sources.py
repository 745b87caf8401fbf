"""What a user types becomes files: order, languages, duplicates, hidden files, and clear refusals."""

import os
from pathlib import Path

import pytest

from ambos.errors import InputError, UsageError
from ambos.text.sources import Source, check_language, find_sources


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is also the current one."""
    folder = tmp_path / "texts"  # a name that says no language, whatever the test is called
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def touch(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("text")


def names(*texts: str, language: str | None = None) -> list[str]:
    return [source.path.as_posix() for source in find_sources(texts, language=language)]


def languages(*texts: str, language: str | None = None) -> list[str]:
    return [source.language for source in find_sources(texts, language=language)]


class TestFinding:
    def test_a_file(self, folder):
        touch("a.txt")
        assert find_sources(["a.txt"]) == [Source(Path("a.txt"), "txt", None, "und")]

    @pytest.mark.parametrize("format_", ["txt", "jsonl", "csv", "tsv", "parquet"])
    @pytest.mark.parametrize(("ending", "compression"), [("", None), (".gz", "gzip"), (".zst", "zstd")])
    def test_every_ending_in_either_case(self, folder, format_, ending, compression):
        touch(f"a.b.{format_}{ending}", f"A.{format_}{ending}".upper())
        assert [(s.format, s.compression) for s in find_sources(["."])] == 2 * [(format_, compression)]

    def test_a_folder_to_the_bottom_in_sorted_order(self, folder):
        touch(
            "d/b.txt", "d/a.jsonl", "d/c/z.csv", "d/c/deep/x.txt.gz", "d/B.txt", "d/other.pdf", "d/no_ending"
        )
        assert names("d") == ["d/B.txt", "d/a.jsonl", "d/b.txt", "d/c/deep/x.txt.gz", "d/c/z.csv"]

    def test_hidden_files_and_folders_are_skipped(self, folder):
        touch("d/a.txt", "d/.b.txt", "d/.git/c.txt", "d/e/.f/g.txt", "d/e/h.txt")
        assert names("d") == ["d/a.txt", "d/e/h.txt"]

    def test_a_hidden_folder_or_file_that_is_named_is_read(self, folder):
        touch(".d/a.txt", ".b.txt")
        assert names(".d", ".b.txt") == [".d/a.txt", ".b.txt"]

    def test_a_glob_in_sorted_order_without_what_cannot_be_read(self, folder):
        touch("b2.txt", "b10.txt", "b1.txt", "a.txt", "b.pdf", "b_folder/c.txt")
        assert names("b*") == ["b1.txt", "b10.txt", "b2.txt"]

    def test_a_recursive_glob(self, folder):
        touch("d/a.txt", "d/e/b.txt", "d/e/f/c.csv")
        assert names("d/**/*.txt") == ["d/a.txt", "d/e/b.txt"]

    def test_a_file_whose_name_looks_like_a_glob(self, folder):
        touch("a[1].txt", "a1.txt")
        assert names("a[1].txt") == ["a[1].txt"]

    def test_arguments_keep_their_order(self, folder):
        touch("a.txt", "b.txt", "d/c.txt")
        assert names("b.txt", "d", "a.txt") == ["b.txt", "d/c.txt", "a.txt"]

    def test_each_file_once_however_it_is_named(self, folder):
        touch("d/a.txt", "d/b.txt")
        Path("link.txt").symlink_to("d/a.txt")
        assert names("d/b.txt", "d", "./d/../d/a.txt", "d/*.txt", str(folder / "d"), "link.txt") == [
            "d/b.txt",
            "d/a.txt",
        ]

    def test_the_first_mention_of_a_file_says_its_language(self, folder):
        touch("a.txt")
        assert languages("pt=a.txt", "en=a.txt") == ["pt"]

    def test_links_to_folders_are_followed_and_loops_end(self, folder):
        touch("elsewhere/a.txt", "d/b.txt")
        Path("d/link").symlink_to("../elsewhere")
        Path("d/loop").symlink_to("..")
        Path("elsewhere/loop").symlink_to("../elsewhere")
        assert {Path(name).name for name in names("d")} == {"a.txt", "b.txt"}

    def test_size_on_disk(self, folder):
        touch("a.txt")
        assert find_sources(["a.txt"])[0].bytes == 4

    def test_size_of_a_file_that_has_vanished(self, folder):
        touch("a.txt")
        source = find_sources(["a.txt"])[0]
        Path("a.txt").unlink()
        with pytest.raises(InputError, match="cannot read this") as caught:
            _ = source.bytes
        assert caught.value.found == "No such file or directory"


class TestLanguage:
    @pytest.mark.parametrize(
        ("name", "language"),
        [
            ("raw_pt/a.txt", "pt"),
            ("raw_en/a.txt", "en"),
            ("corpus.en.txt", "en"),
            ("PT-br.txt", "pt"),
            ("raw_pt/corpus.en.txt", "en"),  # the file's own name goes first
            ("raw_pt/deeper/a.txt", "und"),  # only the folder next to the file speaks
            ("open.txt", "und"),
            ("kept.txt", "und"),
            ("penpt.txt", "und"),
        ],
    )
    def test_in_the_name(self, folder, name, language):
        touch(name)
        assert languages(name) == [language]

    def test_prefix_over_option_over_name(self, folder):
        touch("raw_en/a.txt", "b.txt")
        assert languages("pt=raw_en", "b.txt", language="de") == ["pt", "de"]
        assert languages("raw_en", language="de") == ["de"]

    @pytest.mark.parametrize(
        ("prefix", "language"), [("pt", "pt"), ("pt-BR", "pt-br"), ("PT", "pt"), ("gsw", "gsw")]
    )
    def test_prefix(self, folder, prefix, language):
        touch("a.txt")
        assert languages(f"{prefix}=a.txt") == [language]

    def test_prefix_before_folders_and_globs(self, folder):
        touch("d/a.txt", "e/b.txt", "e/c.txt")
        assert languages("pt=d", "en=e/*") == ["pt", "en", "en"]

    def test_a_file_whose_name_looks_like_a_prefix(self, folder):
        touch("pt=a.txt")
        assert names("pt=a.txt") == ["pt=a.txt"]

    def test_a_longer_word_is_no_prefix(self, folder):
        touch("a.txt")
        with pytest.raises(InputError, match="no such file or folder"):
            find_sources(["portuguese=a.txt"])

    @pytest.mark.parametrize("code", ["pt", "PT-br", "por", "zh-Hant-TW"])
    def test_codes(self, code):
        assert check_language(code) == code.lower()

    @pytest.mark.parametrize("code", ["", "p", "portuguese", "pt_BR", "pt ", "1", "pt="])
    def test_what_is_not_a_code(self, code):
        with pytest.raises(UsageError, match="is not a language code"):
            check_language(code)


class TestRefusals:
    def refused(self, text: str) -> InputError:
        with pytest.raises(InputError) as caught:
            find_sources([text])
        assert caught.value.expected
        assert caught.value.fix
        return caught.value

    def test_missing_file_suggests_the_nearest(self, folder):
        touch("corpus.txt", "notes.csv")
        error = self.refused("corpsu.txt")
        assert (error.what, error.file) == ("no such file or folder", "corpsu.txt")
        assert error.fix == "did you mean corpus.txt?"

    def test_missing_file_with_nothing_near(self, folder):
        assert self.refused("zzz.txt").fix == f"look what there is: ls {folder}"

    def test_missing_folder(self, folder):
        assert str(folder / "nowhere") in self.refused("nowhere/a.txt").fix

    def test_missing_path_after_a_prefix(self, folder):
        touch("corpus.txt")
        error = self.refused("pt=corpsu.txt")
        assert (error.file, error.fix) == ("corpsu.txt", "did you mean corpus.txt?")

    def test_empty_name_is_not_the_current_folder(self, folder):
        touch("a.txt")
        assert self.refused("").what == "an empty name"

    def test_dangling_link(self, folder):
        Path("a.txt").symlink_to("gone.txt")
        for text in ("a.txt", "*.txt", "."):
            error = self.refused(text)
            assert (error.what, error.file) == ("a link to a file that is not there", "a.txt")
            assert "gone.txt" in error.found

    def test_link_to_itself(self, folder):
        Path("a.txt").symlink_to("a.txt")
        assert self.refused("a.txt").file == "a.txt"

    def test_pipes_and_devices_however_they_are_named(self, folder):
        os.mkfifo("pipe.txt")
        for text in ("pipe.txt", "pi*.txt", ".", "/dev/null", "/dev/zero"):
            assert self.refused(text).what == "not a regular file"

    @pytest.mark.parametrize(("name", "found"), [("a.py", "'.py'"), ("a", "no ending"), ("a.gz", "'.gz'")])
    def test_unknown_ending(self, folder, name, found):
        touch(name)
        error = self.refused(name)
        assert found in error.found
        assert ".jsonl" in error.expected

    def test_empty_folder(self, folder):
        assert self.refused(".").found == "no files"

    def test_folder_without_text(self, folder):
        touch("d/a.pdf", "d/b/c.docx", "d/README", "d/.hidden.txt")
        error = self.refused("d")
        assert error.found == "other files: 3 ((no ending), .docx, .pdf)"

    def test_glob_without_match(self, folder):
        error = self.refused("*.txt")
        assert (error.file, error.found) == ("*.txt", "nothing of that name")

    def test_glob_that_matches_folders_says_how_to_look_inside(self, folder):
        touch("raw_1/a.txt", "raw_2/a.txt")
        error = self.refused("pt=raw_*")
        assert error.found == "2 folders and 0 other files"
        assert "'raw_*/*'" in error.fix
        assert names("pt=raw_*/*") == ["raw_1/a.txt", "raw_2/a.txt"]

    def test_a_name_that_is_too_long(self, folder):
        assert self.refused("a" * 300).found == "File name too long"

    def test_a_name_with_control_characters_or_bytes_that_are_not_utf8(self, folder):
        touch("new\nline.txt", os.fsdecode(b"latin\xe9.txt"))
        assert len(find_sources(["."])) == 2

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_folder_that_may_not_be_read(self, folder):
        touch("d/closed/a.txt", "d/b.txt")
        Path("d/closed").chmod(0)
        try:
            for text in ("d", "d/closed", "d/closed/a.txt"):
                error = self.refused(text)
                assert (error.what, error.found) == ("cannot read this", "Permission denied")
        finally:
            Path("d/closed").chmod(0o700)


def test_folders_that_ambos_wrote_are_passed_over(tmp_path):
    for name in (
        "tokenizer/vocab.txt",
        "tokenizer/tokenizer.json",
        "store/store.json",
        "store/a.txt",
        "b.txt",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [source.path.name for source in find_sources([str(tmp_path)])] == ["b.txt"]
