"""``fairground codebreaking`` and ``fairground solve codebreaking``."""
