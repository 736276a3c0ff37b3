"""The part of a result that does not depend on threads, ranks and sessions."""


def proof(result):
    """Without the layer of the optimum: it ends as soon as the optimum is proven, so its count may differ."""
    cost = result["cost"]
    if result["engine"] in ("ida", "learning"):
        return result["status"], cost, result["lower_bound"]
    layers = [(layer["f"], layer["expanded"]) for layer in result["layers"] if cost is None or layer["f"] < cost]
    # If there is no solution, every state is stored, each on one rank.
    stored = result["stored"] if cost is None else None
    return result["status"], cost, result["lower_bound"], layers, stored
