"""Tools for whoever writes a game or a fairness scheme: the laws, a driver, toys."""
