"""Mount options by kind of file system, as the manuals list them: mount(8), nfs(5), mount.lustre(8), and
amazon-efs-utils' README. Names alone; what a value means is the kernel's to judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

_GENERAL = frozenset(
    {
        *("async", "atime", "auto", "bg", "defaults", "dev", "diratime", "exec", "fg", "group", "iversion"),
        *("lazytime", "mand", "noatime", "noauto", "nodev", "nodiratime", "noexec", "nofail", "noiversion"),
        *("nolazytime", "nomand", "norelatime", "nostrictatime", "nosuid", "nouser", "owner", "relatime"),
        *("remount", "ro", "rw", "strictatime", "suid", "sync", "user", "users", "_netdev", "context"),
        *("fscontext", "defcontext", "rootcontext", "nosymfollow", "silent", "loud"),
    }
)
_NFS = frozenset(
    {
        *(
            "nfsvers",
            "vers",
            "soft",
            "softerr",
            "hard",
            "softreval",
            "nosoftreval",
            "intr",
            "nointr",
            "timeo",
        ),
        *("retrans", "rsize", "wsize", "ac", "noac", "acregmin", "acregmax", "acdirmin", "acdirmax"),
        *("actimeo", "bg", "fg", "nconnect", "max_connect", "trunkdiscovery", "notrunkdiscovery", "rdirplus"),
        *(
            "nordirplus",
            "retry",
            "sec",
            "sharecache",
            "nosharecache",
            "resvport",
            "noresvport",
            "lookupcache",
        ),
        *("fsc", "nofsc", "proto", "port", "clientaddr", "migration", "nomigration", "minorversion", "cto"),
        *("nocto", "acl", "noacl", "lock", "nolock", "local_lock", "mountport", "mountproto", "mounthost"),
        *("mountvers", "namlen", "udp", "tcp", "xprtsec", "write", "noalignwrite", "alignwrite"),
    }
)
_LUSTRE = frozenset(
    {
        *("flock", "localflock", "noflock", "user_xattr", "nouser_xattr", "lazystatfs", "nolazystatfs"),
        *(
            "32bitapi",
            "no32bitapi",
            "verbose",
            "noverbose",
            "user_fid2path",
            "nouser_fid2path",
            "abort_recov",
        ),
        *(
            "checksum",
            "nochecksum",
            "always_ping",
            "noalways_ping",
            "encrypt",
            "noencrypt",
            "context",
            "skpath",
        ),
        *("test_dummy_encryption", "retry", "network", "localrecov"),
    }
)
_EFS = _NFS | frozenset(
    {
        *("tls", "iam", "accesspoint", "az", "mounttargetip", "netns", "tlsport", "ocsp", "noocsp", "verify"),
        *("awsprofile", "awscredsuri", "cafile", "crossaccount", "region", "fips", "rolearn", "jwtpath"),
        *("notls", "stunnel", "efs-proxy"),
    }
)
_BY_KIND = {
    "existing-lustre": _LUSTRE,
    "existing-openzfs": _NFS,
    "existing-efs": _EFS,
}


def unknown_options(*, kind: str, options: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each option that the kind is not known to take, with the nearest that it does take.

    Comments of fstab (``x-…``) are any.
    """
    known = _GENERAL | _BY_KIND[kind]
    for option in options:
        name = option.split("=", 1)[0]
        if name in known or name.startswith("x-"):
            continue
        yield option, next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None)
