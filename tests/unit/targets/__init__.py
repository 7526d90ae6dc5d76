"""Tests of targets: configs, mixtures, prices, factors, deployments and features."""
