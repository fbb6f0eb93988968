"""The deployment package: a zip of exactly what runs, the same bytes for the same files.

`python -m scripts.package --out dist/app.zip`. What stays out is read from .funcignore, as azd and the Core Tools read it.
Dependencies are not in it: the platform installs requirements.txt for its own Python.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).resolve().parents[1]
# The zip format begins in 1980; a fixed time keeps the bytes the same from one build to the next.
_TIME = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o100644 << 16


@dataclass(frozen=True, slots=True)
class Package:
    """What was written: the files by their place in the zip, the bytes of the zip and of its files."""

    files: tuple[str, ...]
    zipped: int
    unzipped: int


def packaged_files(root: Path = ROOT) -> Iterator[Path]:
    """Every file that is deployed, sorted, by .funcignore of that folder."""
    ignored = GitIgnoreSpec.from_lines((root / ".funcignore").read_text(encoding="utf-8").splitlines())
    yield from sorted(_kept(root, root, ignored))


def _kept(folder: Path, root: Path, ignored: GitIgnoreSpec) -> Iterator[Path]:
    for path in folder.iterdir():
        name = path.relative_to(root).as_posix()
        if path.is_dir():
            # An ignored folder is not entered: nothing below it could be kept, and a virtual environment is large.
            yield from () if ignored.match_file(f"{name}/") else _kept(path, root, ignored)
        elif not ignored.match_file(name):
            yield path


def build(out: Path, root: Path = ROOT) -> Package:
    """Write the package of a project folder to `out`."""
    out.parent.mkdir(parents=True, exist_ok=True)
    files = list(packaged_files(root))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(root).as_posix(), _TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _READABLE
            package.writestr(entry, path.read_bytes())
    names = tuple(path.relative_to(root).as_posix() for path in files)
    return Package(names, out.stat().st_size, sum(path.stat().st_size for path in files))


def main() -> int:
    """Build the package that the command line names; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.package", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "app.zip", help="where to write the zip")
    out = parser.parse_args().out
    package = build(out)
    print(f"{out}: {len(package.files)} files, {package.zipped:,} bytes ({package.unzipped:,} unpacked)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
