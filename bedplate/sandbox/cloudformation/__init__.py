"""A CloudFormation engine: order, events, roll-back, updates with replacement, and change sets."""
