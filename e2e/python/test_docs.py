"""The set-up lines of docs/clients.md, run as they stand but for the server's port, and the program of docs/data.md."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from harness.formula import content
from harness.server import REPO, start

KEYS = ("bench", "s3cr3t")  # those that the page tells to start the server with
PAGE = (REPO / "docs" / "clients.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^### ([^\n]+)\n(?:(?!^### ).)*?^```(sh|python|go|js)\n(.*?)^```", PAGE, re.M | re.S)
(ENVIRONMENT,) = re.findall(r"^```env\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def documented(mode):
    server = start(mode, flags=("--bucket", "train"), keys=KEYS)
    yield server
    server.stop()


class TestDocs:
    client = "docs/clients.md"
    version = "-"

    def test_blocks__found(self):
        assert len(BLOCKS) == PAGE.count("\n```") // 2 - 1, "every block but the environment must be run"

    @pytest.mark.parametrize("language, text", [b[1:] for b in BLOCKS], ids=[b[0] for b in BLOCKS])
    def test_blocks(self, documented, tmp_path, language, text):
        with_port = text.replace(":9000", f":{documented.port}")
        file = {"sh": "block.sh", "python": "block.py", "go": "main.go", "js": "block.mjs"}[language]
        (tmp_path / file).write_text(with_port, encoding="utf-8")
        command = {
            "sh": ["bash", "-eu", "-o", "pipefail", str(tmp_path / file)],
            "python": [sys.executable, str(tmp_path / file)],
            "go": ["go", "-C", str(REPO / "e2e" / "go"), "run", str(tmp_path / file)],
            "js": ["node", "--input-type=module", "--eval", with_port],
        }[language]
        exports = ENVIRONMENT.replace(":9000", f":{documented.port}")
        env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        env["PATH"] = f"{pathlib.Path(sys.executable).parent}:{env['PATH']}"
        env["AWS_CONFIG_FILE"] = env["AWS_SHARED_CREDENTIALS_FILE"] = "/dev/null"
        done = subprocess.run(
            ["bash", "-c", f'{exports}\nexec "$@"', "bash", *command],
            cwd=REPO / "e2e" / "node", env=env, capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.strip(), "the block prints nothing"

    def test_blocks__numpy(self):
        """The program of docs/data.md gives the bytes that the tests' formula gives, which others compare with the server."""
        page = (REPO / "docs" / "data.md").read_text(encoding="utf-8")
        (program,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
        names = {}
        exec(program, names)  # noqa: S102 - the documentation's own program
        for offset, length in ((0, 5000), (509, 8), (2**32 + 5, 1300), (2**63 - 9, 8)):
            got = names["data"](names["stream"](7, "b/a b+c/ключ".encode()), offset, length)
            assert got == content(7, "b", "a b+c/ключ", offset, length)
