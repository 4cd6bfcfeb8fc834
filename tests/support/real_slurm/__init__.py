"""A real Slurm on one host, for tests: munged, slurmctld, several slurmd, and slurmdbd with its own MariaDB.

``RealSlurm`` (``cluster``) is what tests start. ``config`` writes the files, ``processes`` starts and stops,
``accounting`` is the database's side, ``client`` asks and submits, ``log`` judges what slurmctld wrote, and
``older`` lists what the installed Slurm cannot load and this kind of host cannot enforce.
"""
