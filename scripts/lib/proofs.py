"""What a result proves."""


def proof(result):
    """What must not depend on threads, ranks and sessions. The layer of the optimum ends when the optimum is proven."""
    cost = result["cost"]
    layers = [(layer["f"], layer["expanded"]) for layer in result["layers"] if cost is None or layer["f"] < cost]
    return result["status"], cost, result["lower_bound"], layers
