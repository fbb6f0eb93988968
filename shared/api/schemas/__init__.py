"""JSON in and out: the one place where the names of the HTTP contract are spelled."""
