"""Documents for a command, with a progress bar that follows the bytes read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ambos.cli.screen import Screen
from ambos.text.readers import Document, read_documents
from ambos.text.sources import UNKNOWN_LANGUAGE, Source, find_sources
from ambos.text.stream import ReadOptions

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Documents:
    """The documents of some sources, once; iterating moves the bar."""

    def __init__(
        self, sources: Sequence[Source], options: ReadOptions, progress: "Progress", task: "TaskID"
    ) -> None:
        self._sources = sources
        self._options = options
        self._progress = progress
        self._task = task

    def __iter__(self) -> Iterator[Document]:
        def advance(count: int) -> None:
            self._progress.advance(self._task, count)

        return read_documents(self._sources, self._options, advance=advance)

    def stage(self, name: str) -> None:
        """Name what is being done."""
        self._progress.update(self._task, description=name)


@contextmanager
def documents_with_progress(
    screen: Screen, texts: Sequence[str], options: ReadOptions, language: str | None
) -> Iterator[Documents]:
    """Find the files of `texts`, say what was found, and give their documents."""
    sources = find_sources(texts, language=language)
    describe_sources(screen, sources)
    with screen.progress() as progress:
        task = progress.add_task("reading", total=sum(source.bytes for source in sources))
        yield Documents(sources, options, progress, task)


def describe_sources(screen: Screen, sources: Sequence[Source]) -> None:
    """Say how many files there are, and which language they are taken to be in."""
    by_language: dict[str, int] = {}
    for source in sources:
        by_language[source.language] = by_language.get(source.language, 0) + 1
    parts = [
        f"{count} {'of unknown language' if language == UNKNOWN_LANGUAGE else language}"
        for language, count in sorted(by_language.items())
    ]
    screen.note(f"{len(sources)} {'file' if len(sources) == 1 else 'files'}: {', '.join(parts)}")
