// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if !ChallengeLab
    #error(#"The product ChallengeLab requires the trait ChallengeLab: .package(..., traits: ["ChallengeLab"])"#)
#endif
