#!/usr/bin/env python3
"""The JSON Schema in docs/formats/world.md accepts the worlds of the repository, and refuses what the command refuses.

    world_schema.py ROOT LANDFALL
"""
import copy, glob, json, os, re, subprocess, sys, tempfile, warnings

root, landfall = sys.argv[1:3]
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: the schema of world files: no jsonschema in Python")
    sys.exit(0)

with open(os.path.join(root, "docs/formats/world.md"), encoding="utf-8") as page:
    blocks = re.findall(r"```json\n(.*?)```", page.read(), re.S)
example, schema = json.loads(blocks[0]), json.loads(blocks[-1])
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
faults = []


def accepted(what, world):
    for error in validator.iter_errors(world):
        faults.append(f"{what}: {error.json_path}: {error.message}")


accepted("docs/formats/world.md", example)
worlds = glob.glob(os.path.join(root, "examples/worlds/*.world.json"))
if len(worlds) < 3:
    faults.append(f"only {len(worlds)} worlds in examples/worlds")
with tempfile.TemporaryDirectory() as folder:
    city = os.path.join(folder, "city.world.json")
    subprocess.run([landfall, "make", "city", "-o", city, "--size", "20", "-q"], check=True)
    for path in worlds + [city]:
        with open(path, encoding="utf-8") as file:
            accepted(path, json.load(file))

    # What the schema refuses the command refuses too, with the path of the value.
    good = {"landfall_world": 1, "parts": [{"box": {"size": [1, 2, 3]}, "place": {"x": 0, "y": 0, "z": 0}}]}
    bad = {
        "landfall_world": lambda w: w.update(landfall_world=2),
        "parts": lambda w: w.update(parts=[]),
        "colour": lambda w: w.update(colour="red"),
        "parts[0].box.size": lambda w: w["parts"][0]["box"].update(size=[1, 2]),
        "parts[0].box": lambda w: w["parts"][0]["box"].pop("size"),
        "parts[0].place.up": lambda w: w["parts"][0]["place"].update(up=1),
        "parts[0].place": lambda w: w["parts"][0]["place"].pop("z"),
        "parts[0].layers": lambda w: w["parts"][0].update(layers=0),
        "parts[0].user": lambda w: w["parts"][0].update(user=1.5),
        "parts[0]": lambda w: w["parts"][0].update(mesh="a.ply"),
    }
    accepted("the good world", good)
    for where, spoil in bad.items():
        world, path = copy.deepcopy(good), os.path.join(folder, "bad.world.json")
        spoil(world)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(world, file)
        ran = subprocess.run([landfall, "info", path], capture_output=True, text=True)
        if validator.is_valid(world):
            faults.append(f"{where}: the schema accepts what is wrong there")
        if ran.returncode != 2 or f"bad.world.json: {where}" not in ran.stderr:
            faults.append(f"{where}: status {ran.returncode}: {ran.stderr}")

print("\n".join(faults) or "the schema and the command agree")
sys.exit(1 if faults else 0)
