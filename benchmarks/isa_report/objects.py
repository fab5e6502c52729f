"""What the toolchains say of built kernels: device code out of object files, its metadata and its disassembly."""
import os
import re
import shutil
import struct
import subprocess
import tempfile

LLVM_VERSION = os.environ.get("QR_LLVM_VERSION", "22")
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"


class ToolError(Exception):
    pass


def tool(name):
    """The newest of LLVM's tools: distributions number them, ROCm keeps its own."""
    places = [f"{name}-{LLVM_VERSION}", f"/usr/lib/llvm-{LLVM_VERSION}/bin/{name}", f"/opt/rocm/llvm/bin/{name}", name]
    found = next((path for path in map(shutil.which, places) if path), None)
    if found is None:
        raise ToolError(f"{name} is missing (Debian: llvm-{LLVM_VERSION}; or ROCm in /opt/rocm)")
    return found


def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ToolError(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr.strip()}")
    return result.stdout


def demangle(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def has_amd_code(path):
    return ".hip_fatbin " in output_of("readelf", "-SW", path)


def amd_code_objects(path):
    """(architecture, bytes) of each code object in a host object file."""
    with tempfile.TemporaryDirectory() as folder:
        fat = os.path.join(folder, "fat")
        output_of(tool("llvm-objcopy"), f"--dump-section=.hip_fatbin={fat}", path, os.path.join(folder, "copy"))
        with open(fat, "rb") as file:
            data = file.read()
    if not data.startswith(BUNDLE):
        raise ToolError(f"{path}: no plain offload bundle (compressed?)")
    (count,) = struct.unpack_from("<Q", data, len(BUNDLE))
    at = len(BUNDLE) + 8
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        target = data[at + 24:at + 24 + length].decode()
        at += 24 + length
        if "amdgcn" in target:
            yield target.rsplit("--", 1)[1], data[offset:offset + size]


def amd_kernels(path):
    """{architecture: {mangled name: (metadata, disassembly lines)}} of an object file."""
    kernels = {}
    for arch, code in amd_code_objects(path):
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            file.write(code)
            file.flush()
            facts = metadata(output_of(tool("llvm-readelf"), "--notes", file.name))
            text = output_of(tool("llvm-objdump"), "-d", "--no-show-raw-insn", file.name)
        bodies = disassembly(text)
        kernels[arch] = {name: (facts[name], bodies[name]) for name in facts}
    return kernels


def metadata(notes):
    """{kernel: {field: value}} of the AMDGPU metadata note, as llvm-readelf prints it."""
    kernels = {}
    current = {}
    for line in notes.splitlines():
        match = re.match(r"  (-|) {1,3}\.(\w+): +(\S+)$", line)
        if line.startswith("  - "):
            current = {}
        if match:
            current[match[2]] = match[3]
            if match[2] == "name":
                kernels[match[3]] = current
    return kernels


def disassembly(text):
    """{symbol: its lines} of llvm-objdump -d."""
    bodies = {}
    for line in text.splitlines():
        match = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if match:
            bodies[match[1]] = current = []
        elif line.startswith("\t"):
            current.append(line)
    return bodies


def nvidia_kernels(path):
    """{architecture: {mangled name: figures}} out of what a build with -Xptxas=-v printed."""
    kernels = {}
    current = {}
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            if match := re.search(r"Compiling entry function '(\S+)' for '(\S+)'", line):
                current = kernels.setdefault(match[2], {}).setdefault(match[1], {})
            elif "bytes stack frame" in line:
                stack, stores, loads = map(int, re.findall(r"(\d+) bytes", line))
                current |= {"stack": stack, "spill_stores": stores, "spill_loads": loads}
            elif match := re.search(r"Used (\d+) registers", line):
                shared = re.search(r"(\d+) bytes smem", line)
                current |= {"registers": int(match[1]), "shared": int(shared[1]) if shared else 0}
    return kernels
