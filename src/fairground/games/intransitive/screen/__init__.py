"""``fairground dice`` (`screen`) and ``fairground solve dice`` (`solve`): intransitive dice."""
