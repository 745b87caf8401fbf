"""What a command reads, with a progress bar that follows the bytes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
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


class Flow:
    """Follows texts from files through the work on them, which takes many at a time: for a bar and a speed.

    Parameters
    ----------
    size
        Bytes of all files.

    Attributes
    ----------
    taken
        Texts that are done.
    seconds
        How long they took, once the work has ended.
    """

    def __init__(self, size: int) -> None:
        self.taken = 0
        self.seconds = 0.0
        self._size = size
        self._began = perf_counter()
        self._ahead = 0  # texts that were read and are not done
        # The files are read in large blocks: what came out of the last one says how far inside it we are.
        self._read = self._block = self._characters = 0
        self._done = 0.0  # bytes
        self._show: Callable[[float, float], None] = lambda completed, speed: None  # noqa: ARG005

    def advance(self, count: int) -> None:
        """See that so many bytes were read."""
        self._read, self._block, self._characters = self._read + count, count, 0

    def came(self, characters: int) -> None:
        """See a text that was read."""
        self._ahead += 1
        self._characters += characters

    def tell(self, share: float) -> None:
        """Hear which share of the texts at hand is done."""
        place = self._read - self._block + min(self._block, self._characters)
        speed = (self.taken + share * self._ahead) / (perf_counter() - self._began)
        self._show(self._done + share * max(0.0, place - self._done), speed)
        if share == 1:
            self._done = max(self._done, place)

    def took(self, count: int) -> None:
        """See that so many texts are done with."""
        self.taken += count
        self._ahead -= count

    def passed(self, count: int) -> None:
        """See that so many texts were done before: the clock begins now."""
        self.tell(1)
        self._ahead -= count
        self._began = perf_counter()

    @contextmanager
    def progress(self, screen: Screen, work: str, texts: str) -> Iterator[None]:
        """Show a bar while the block runs, for `work` ("embedding") on `texts` ("texts")."""
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[speed]:,.0f} " + texts + "/s"))
        self._began = perf_counter()
        with screen.progress(TextColumn(work), *columns, TimeRemainingColumn()) as bar:
            task = bar.add_task("", total=self._size, speed=0.0)
            self._show = lambda completed, speed: bar.update(task, completed=completed, speed=speed)
            yield
        self.seconds = perf_counter() - self._began
