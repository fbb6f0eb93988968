"""The certificate of `--https`: signed by itself, for this machine's names alone, kept so that it is trusted once.

It is no authority (`CA:FALSE`): a client that trusts it trusts this one server and nothing that its key could sign.
`dotnet dev-certs https` does the same.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER = Path.home() / ".azure-search-emulator"
VALID_FOR = timedelta(days=365)
RENEWED_BEFORE = timedelta(days=30)
ALWAYS_NAMED = ("localhost", "127.0.0.1", "::1")


class CertificateError(Exception):
    """The certificate cannot be kept in its folder; the text is one line that says what to do."""


def make_context(folder: Path, host: str, now: datetime | None = None) -> tuple[ssl.SSLContext, Path]:
    """The server's TLS context, and the file of the certificate that clients have to trust.

    The certificate in `folder` is used as long as it names `host` and is valid for 30 days; else a new one replaces it.
    Raises `CertificateError`.
    """
    now = now or datetime.now(UTC)
    server, certificate = folder / "server.pem", folder / "certificate.pem"
    try:
        if not _serves(server, host, now):
            folder.mkdir(parents=True, exist_ok=True)
            key, made = _make(host, now)
            _write(server, _key_text(key) + _certificate_text(made), mode=0o600)
            _write(certificate, _certificate_text(made), mode=0o644)
    except OSError as error:
        rule = "give a folder that can be written with --certificates"
        raise CertificateError(f"The certificate cannot be kept in {folder} ({type(error).__name__}): {rule}.") from error
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(server)
    return context, certificate


def _serves(server: Path, host: str, now: datetime) -> bool:
    try:
        known = x509.load_pem_x509_certificate(server.read_bytes())
    except (OSError, ValueError):
        return False
    names = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return _name(host) in names and known.not_valid_after_utc - now > RENEWED_BEFORE


def _make(host: str, now: datetime) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Azure AI Search emulator on this machine")])
    names = [_name(name) for name in dict.fromkeys((*ALWAYS_NAMED, socket.gethostname(), host))]
    usage = x509.KeyUsage(
        digital_signature=True,
        **dict.fromkeys(("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False),
        **dict.fromkeys(("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"), False),
    )
    builder = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    )
    return key, builder.sign(key, hashes.SHA256())


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_text(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _certificate_text(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _write(path: Path, content: bytes, mode: int) -> None:
    """Writes whole files only, never readable by more than `mode` says, so that two starts at once do no harm."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(content)
    part.replace(path)
