"""A release goes out and comes back, with what others keep releases in: Debian's docker-registry, skopeo, bare git.

Published to a registry on the loopback, a bare git remote, a folder and a layout, each twice. Then, with an empty HOME
in an empty folder, it is pulled and verified, the image is pulled by skopeo, and its server is started in a root of its
own and asked.
"""

import json
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from tests.campaign.release.bench import (
    ROOT,
    STACKPROOF,
    Asked,
    free_port,
    must,
    ours,
    registry,
    run,
    strangers,
    verify_words,
    wait_for,
)


def goes_out(asked: Asked, bundle: Path, work: Path, signers: Path) -> dict[str, Any]:
    """The figures: seconds of each step, and what the server of the pulled image said."""
    figures: dict[str, Any] = {}
    remote = work / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    with registry(work / "registry") as served:
        places = {
            "folder": str(work / "folder"), "layout": f"layout:{work / 'layout'}",
            "git": f"git:{remote}", "registry": f"oci:{served.host}/team/engine",
        }  # fmt: skip
        for name, place in places.items():
            for again in ("", " again"):
                words = [STACKPROOF, "publish", str(bundle), "--to", place, "-C", str(asked.project), "--json"]
                ran = must(run(words, cwd=work, env=ours(asked)), f"publish to {name}")
                how = json.loads(ran.out)["how"]
                figures[f"publish to {name}{again}"] = {**ran.figures(), "how": how}
        away = work / "away"
        away.mkdir()
        empty = strangers(work / "home")
        source = f"oci:{served.host}/team/engine:{bundle.name}"
        pulled = run([STACKPROOF, "pull", source, "--out", "."], cwd=away, env={**empty, "PYTHONPATH": str(ROOT)})
        figures["pull"] = must(pulled, "pull").figures()
        words = verify_words(bundle.name, asked.base, "--signers", str(signers))
        figures["verify"] = must(run(words, cwd=away, env=empty), "verify").figures()
        tag = f"docker://{served.host}/team/engine:{bundle.name}"
        told = must(run(["skopeo", "inspect", "--tls-verify=false", tag], cwd=away, env=empty), "skopeo inspect")
        figures["skopeo"] = {name: json.loads(told.out)[name] for name in ("Architecture", "Os")}
        figures["skopeo"]["layers"] = len(json.loads(told.out)["Layers"])
        words = ["skopeo", "copy", "-q", "--src-tls-verify=false", tag, f"dir:{away / 'image'}"]
        figures["skopeo copy"] = must(run(words, cwd=away, env=empty), "skopeo copy").figures()
        layout = ["skopeo", "inspect", "--raw", f"oci:{work / 'layout'}:{bundle.name}"]
        whole = json.loads(must(run(layout, cwd=away, env=empty), "skopeo reads the layout").out)
        figures["layout lists"] = [each.get("artifactType", "image") for each in whole["manifests"]]
    figures["server said"] = image_answers(away / "image", work, asked.model)
    figures["tag's tree"] = _git(remote, "rev-parse", f"refs/tags/{bundle.name}^{{tree}}")
    figures["release's tree"] = json.loads((bundle / "stack.json").read_bytes())["tip"]["tree"]
    return figures


def _git(remote: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(remote), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def image_answers(image: Path, folder: Path, model: Path | None) -> dict[str, str]:
    """Unpack what skopeo pulled, start its server in a root of its own as its user, and ask it."""
    root = folder / "root"
    root.mkdir()
    manifest = json.loads((image / "manifest.json").read_bytes())
    config = json.loads((image / manifest["config"]["digest"][7:]).read_bytes())["config"]
    for layer in manifest["layers"]:
        subprocess.run(["tar", "xzf", image / layer["digest"][7:], "-C", root], check=True)
    port = free_port()
    words = [*config["Entrypoint"], "--host", "127.0.0.1", "--port", str(port)]
    if model is not None:
        shutil.copyfile(model, root / "model.gguf")
        words += ["-m", "/model.gguf", "-c", "512"]
    user, group = config["User"].split(":")
    (root / "proc").mkdir()  # as every engine of containers does: the loader asks it where the program lies
    subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=True)
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [shutil.which("chroot") or "chroot", f"--userspec={user}:{group}", "--groups=", str(root), *words],
            env={},
            stdout=log,
            stderr=log,
        )
    try:
        said = {"health": wait_for(f"http://127.0.0.1:{port}/health").decode()}
        if model is not None:
            ask = urllib.request.Request(
                f"http://127.0.0.1:{port}/completion",
                data=json.dumps({"prompt": "Once upon a time", "n_predict": 8, "temperature": 0}).encode(),
                headers={"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(ask, timeout=300) as answer:
                said["completion"] = str(json.loads(answer.read())["content"])
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", str(root / "proc")], check=True)
    return said
