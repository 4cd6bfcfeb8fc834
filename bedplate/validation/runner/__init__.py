"""What the runner in the account does around a validation: wait for the deploy, keep, measure, tell."""
