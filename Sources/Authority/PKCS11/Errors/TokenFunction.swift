// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A function of a PKCS#11 module, by the name that the specification gives it.
package enum TokenFunction: String, Hashable, Sendable {
    case initialize = "C_Initialize"
    case slots = "C_GetSlotList"
    case openSession = "C_OpenSession"
    case logIn = "C_Login"
    case find = "C_FindObjects"
    case attribute = "C_GetAttributeValue"
    case generate = "C_GenerateKeyPair"
    case destroy = "C_DestroyObject"
    case sign = "C_Sign"
}
