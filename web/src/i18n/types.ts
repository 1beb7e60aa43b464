/** The shape of a translation: the Korean texts' keys, any words. */
export type Messages<T> = { readonly [K in keyof T]: T[K] extends string ? string : Messages<T[K]> };
