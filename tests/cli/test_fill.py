"""`ambos fill`: candidates for masks, and what is refused."""

import json

import pytest

import ambos as api


def test_one_mask(ambos, model_folder, kind):
    folder = model_folder(kind)
    ran = ambos("fill", folder, "O gato [MASK] no tapete.", "--top", "3", "--json")
    said = json.loads(ran.out)
    expected = api.load(folder).fill("O gato [MASK] no tapete.", 3)
    assert said["filled"] == expected.text
    assert [row["rank"] for row in said["masks"][0]] == [1, 2, 3]
    assert [row["id"] for row in said["masks"][0]] == [one.id for one in expected.masks[0]]
    assert [row["token"] for row in said["masks"][0]] == [one.token for one in expected.masks[0]]
    assert said["masks"][0][0]["probability"] == pytest.approx(expected.masks[0][0].probability, abs=1e-6)
    assert "[MASK]" not in said["filled"]


def test_several_masks_for_people(ambos, model_folder):
    ran = ambos("fill", model_folder("bpe"), "O <mask> dorme no [MASK] [bold].", "--top", "2")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.strip() for line in lines if line.startswith("Mask")] == ["Mask 1", "Mask 2"]
    assert sum(line.lstrip().startswith(("1 ", "2 ")) for line in lines) == 4
    assert lines[-1].endswith("[bold].")
    assert "mask" not in lines[-1].lower()


def test_more_candidates_than_tokens(ambos, model_folder):
    said = json.loads(ambos("fill", model_folder("wordpiece"), "[MASK]", "--top", "99999", "--json").out)
    assert len(said["masks"][0]) == 2000
    assert sum(row["probability"] for row in said["masks"][0]) == pytest.approx(1, abs=1e-4)


def test_the_device_is_chosen_or_refused(ambos, model_folder):
    folder = model_folder("wordpiece")
    assert ambos("fill", folder, "[MASK]", "--device", "cpu").code == 0
    for device in ("tpu", "cpu:x", "cpu:-7", ""):
        labelled = ambos("fill", folder, "[MASK]", "--device", device).refused(2, "there is no device")
        assert "cpu" in labelled["expected"]


def test_no_mask(ambos, model_folder, kind):
    labelled = ambos("fill", model_folder(kind), "O gato dorme.").refused(3, "there is no mask in the text")
    assert "[MASK]" in labelled["expected"]
    assert labelled["found"] == "O gato dorme."
    assert labelled["fix"]


def test_no_head(ambos):
    labelled = ambos("fill", "minilm", "O gato [MASK].").refused(3, "this model has no mlm head")
    assert labelled["expected"] == "a model that fills masks"


@pytest.mark.parametrize("top", ["0", "-3", "many"])
def test_top_below_one(ambos, model_folder, top):
    labelled = ambos("fill", model_folder("bpe"), "[MASK]", "--top", top).refused(2, "--top")
    assert labelled["fix"] == "see ambos fill --help"


def test_a_text_longer_than_the_context(ambos, model_folder):
    text = "gato " * 80 + "[MASK]"
    labelled = ambos("fill", model_folder("wordpiece"), text).refused(3, "longer than the model can read")
    assert labelled["expected"] == "at most 64 tokens"


def test_missing_arguments(ambos):
    ambos("fill").refused(2, "MODEL")
    ambos("fill", "minilm").refused(2, "TEXT")
