"""What can be evaluated: router configs become mixtures with arms, prices and factor digests; deployments say where they run."""
