"""CDK building blocks, one idea a file; they take plain props and can be composed in anybody's CDK app."""
