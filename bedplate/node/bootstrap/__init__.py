"""Set a node up at every boot: ``python3 bedplate-node.pyz bootstrap --settings FILE``."""
