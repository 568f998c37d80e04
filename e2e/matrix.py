#!/usr/bin/env python3
"""Turns the results of the suites into the matrix client x mode x check.

usage: matrix.py RESULTS.jsonl [--markdown FILE] [--docs PAGE]

Prints the table and the failed tests, ends with the line `N passed, N failed` and exits with 1 if a test failed or a
cell that must be there is missing. --markdown writes the table to FILE; --docs puts it between the two markers of PAGE.
"""

import argparse
import json
import pathlib
import sys
from collections import defaultdict

MODES = ("synth", "memory")
COLUMNS = (
    "bucket", "objects", "etags", "multipart", "ranges", "list", "delimiter", "copy", "batch-delete", "presign",
    "odd-keys", "checksums", "conditions", "virtual-host", "own",
)  # fmt: skip
EVERY = set(COLUMNS[:11])

# Client -> columns that it must have. What is missing from a row and from this table is shown as a dash: the client's
# API has no such call, or its library is tested by another row.
CLIENTS = {
    "boto3": EVERY | {"checksums", "conditions", "virtual-host", "own"},
    "aws CLI": EVERY | {"own"},
    "s3dlio": EVERY - {"copy", "presign"} | {"own"},
    "minio-py": EVERY,
    "s3torchconnectorclient": EVERY - {"bucket", "batch-delete", "presign"} | {"virtual-host", "own"},
    "pyarrow": EVERY - {"etags", "presign"} | {"own"},
    "obstore": EVERY - {"bucket"} | {"checksums", "conditions"},
    "s3fs": EVERY | {"own"},
    "aws-sdk-go-v2": EVERY | {"checksums", "conditions", "virtual-host"},
    "minio-go": EVERY | {"checksums"},
    "@aws-sdk/client-s3": EVERY | {"checksums", "conditions"},
}
WORKLOAD, DOCS = "seed workload", "docs/clients.md"
STEPS = (
    "dataset, 1 endpoint", "dataset, 2 endpoints", "checkpoint, 1 endpoint", "checkpoint, 2 endpoints",
    "programs of docs/clients.md and docs/data.md",
)  # fmt: skip

BEGIN, END = "<!-- matrix: written by e2e/run.sh --docs -->", "<!-- end of matrix -->"


def cell_of(result):
    """The column, or the step, that a result counts for."""
    if result["client"] == DOCS:
        return STEPS[-1]
    if result["client"] == WORKLOAD:
        endpoints = result["test"].split("[")[1].rstrip("]").replace("-", " ")
        return f"{result['check']}, {endpoints}"
    return result["check"] if result["check"] in COLUMNS else "own"


def load(path):
    """Groups results by (client, mode, cell); returns them and the clients' versions."""
    cells, versions = defaultdict(list), {}
    for line in path.read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        client = WORKLOAD if result["client"] == DOCS else result["client"]
        cells[client, result["mode"], cell_of(result)].append(result)
        versions[result["client"]] = result["version"]
    return cells, versions


def verdict(cells, key, must):
    if key not in cells:
        return "FAIL" if must else "–"
    return "PASS" if all(result["ok"] for result in cells[key]) else "FAIL"


def rows_of(cells, versions):
    """The two tables as lists of rows, the first row a heading."""
    clients = [["client", "version", "mode", *COLUMNS]]
    for client, must in CLIENTS.items():
        for mode in MODES:
            marks = [verdict(cells, (client, mode, column), column in must) for column in COLUMNS]
            clients.append([client, versions.get(client, "?"), mode, *marks])
    workload = [[f"{WORKLOAD} ({versions.get(WORKLOAD, '?')})", *MODES]]
    for step in STEPS:
        workload.append([step, *(verdict(cells, (WORKLOAD, mode, step), True) for mode in MODES)])
    return clients, workload


def text(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return "\n".join("  ".join(row).rstrip() for row in padded)


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="the matrix client x mode x check")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--docs", type=pathlib.Path)
    options = parser.parse_args()

    cells, versions = load(options.results)
    tables = rows_of(cells, versions)
    print("\n\n".join(text(rows) for rows in tables))

    results = [result for group in cells.values() for result in group]
    failed = [f"{r['client']}, {r['mode']}: {r['test']}" for r in results if not r["ok"]]
    wanted = [(c, m, k) for c, must in CLIENTS.items() for m in MODES for k in must]
    wanted += [(WORKLOAD, m, k) for m in MODES for k in STEPS]
    failed += [f"{', '.join(key)}: did not run" for key in sorted(wanted) if key not in cells]
    failed += [f"{key[0]} is not in the matrix" for key in cells if key[0] not in CLIENTS and key[0] != WORKLOAD]
    if failed:
        print("\nfailed:", *failed, sep="\n  ")

    page = "\n\n".join(markdown(rows) for rows in tables)
    if options.markdown:
        options.markdown.write_text(page + "\n", encoding="utf-8")
    if options.docs:
        before, rest = options.docs.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        options.docs.write_text(f"{before}{BEGIN}\n{page}\n{END}{after}", encoding="utf-8")

    print(f"\n{sum(r['ok'] for r in results)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
