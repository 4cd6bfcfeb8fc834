"""From tool output to verdict; standard library only, so that a node and the controller judge alike."""
