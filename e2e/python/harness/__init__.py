"""What the Python suites share: the server under test, the byte formula, the common checks."""
