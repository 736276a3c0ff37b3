"""What a result proves."""


def proof(result):
    """What must not depend on threads, ranks and sessions. The layer of the optimum ends when the optimum is proven."""
    cost = result["cost"]
    if result["engine"] in ("ida", "learning"):
        return result["status"], cost, result["lower_bound"]
    layers = [(layer["f"], layer["expanded"]) for layer in result["layers"] if cost is None or layer["f"] < cost]
    # Where there is no solution, every state is stored, on one of the ranks.
    stored = result["stored"] if cost is None else None
    return result["status"], cost, result["lower_bound"], layers, stored
