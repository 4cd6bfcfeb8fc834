"""CDK building blocks, one idea a file: plain keyword props in, resources out.

They take no environment file and can be composed in anybody's CDK app; ``bedplate.stacks`` turns an
environment file into their props. Import the module that is needed, e.g. ``from
bedplate.constructs.lustre_file_system import LustreFileSystem``: this package imports nothing by itself, so
that plain documents stay quick to import.
"""
