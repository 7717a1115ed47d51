// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if !Keychains
    #error(#"The product Keychains requires the trait Keychains: .package(..., traits: ["Keychains"])"#)
#endif
