// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if !Programs
    #error(#"The programs require the trait Programs: .package(..., traits: ["Programs"])"#)
#endif
