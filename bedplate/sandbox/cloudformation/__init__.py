"""A CloudFormation engine: stacks with real order, events, roll-back, updates with replacement, and change sets."""
