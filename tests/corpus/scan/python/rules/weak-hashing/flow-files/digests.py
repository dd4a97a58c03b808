def finish(state, text):
    state.update(text.encode())
    return state.hexdigest()  # sink: weak-hashing a
