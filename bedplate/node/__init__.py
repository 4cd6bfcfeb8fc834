"""Programs that run on nodes; shipped with ``bedplate.diagnosis`` and ``bedplate.hardware`` as one zipapp."""
