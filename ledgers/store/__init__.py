"""Bytes on disk: how they are read without trust, and how they are published so that a crash leaves the old state or the new one."""
