# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the workers: whoever reaches a Dask scheduler runs what he likes on them, as their user.

So local processes speak TLS with keys that exist in their memory only, and a
scheduler of others is reached by TLS, or with a warning.
"""

from __future__ import annotations

import argparse
import dataclasses
import ssl
from pathlib import Path

from distributed.security import Security

from npu_bench.errors import InputError, reason_of
from npu_bench.input_files import open_input

PLAIN = "tcp://"


@dataclasses.dataclass(frozen=True)
class Link:
    """A scheduler's address and what it is reached with; without an address processes of our own."""

    scheduler: str | None = None
    ca_file: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @staticmethod
    def of(arguments: argparse.Namespace) -> Link:
        return Link(arguments.scheduler, arguments.tls_ca_file, arguments.tls_cert, arguments.tls_key)

    @property
    def is_plain(self) -> bool:
        """Dask takes an address without a protocol for tcp://."""
        return self.scheduler is not None and (self.scheduler.startswith(PLAIN) or "://" not in self.scheduler)

    def security(self) -> Security:
        if self.scheduler is None:
            return Security.temporary()
        if self.ca_file is None:
            return Security()  # Dask's own configuration
        check_files(self)
        return Security(require_encryption=True, tls_ca_file=str(self.ca_file), tls_client_cert=str(self.cert),
                        tls_client_key=str(self.key))  # fmt: skip


def check_files(link: Link) -> None:
    """Before Dask says it in its own words, of no file."""
    for option, path in (("--tls-ca-file", link.ca_file), ("--tls-cert", link.cert), ("--tls-key", link.key)):
        try:
            open_input(path).close()
        except OSError as error:
            raise InputError(f"{option}: '{path}' cannot be read: {error.strerror}") from error
    try:
        context = ssl.create_default_context(cafile=str(link.ca_file))
    except (ssl.SSLError, OSError) as error:
        raise InputError(f"--tls-ca-file: '{link.ca_file}' has no certificates in PEM form ({reason_of(error)})") from error
    try:
        # An empty password: a key that has one would be asked for at the terminal.
        context.load_cert_chain(str(link.cert), str(link.key), password="")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise InputError(f"--tls-cert, --tls-key: '{link.cert}' and '{link.key}' are no certificate and its key without a "
                         f"password, in PEM form ({reason_of(error)})") from error  # fmt: skip
