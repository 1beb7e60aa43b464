/** The native twin measures on the same machine: while it does, nothing is measured here, or both would be slower. */
export const exclusive = $state({ native: false });
