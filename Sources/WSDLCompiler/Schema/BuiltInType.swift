// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The types that XML Schema defines (Part 2 section 3), by their names.
package enum BuiltInType: String, CaseIterable, Sendable {
    case anyType, anySimpleType
    case string, normalizedString, token, language
    case name = "Name"
    case ncName = "NCName"
    case nmToken = "NMTOKEN"
    case nmTokens = "NMTOKENS"
    case id = "ID"
    case idReference = "IDREF"
    case idReferences = "IDREFS"
    case entity = "ENTITY"
    case entities = "ENTITIES"
    case boolean, decimal, float, double
    case integer, nonPositiveInteger, negativeInteger, nonNegativeInteger, positiveInteger
    case long, int, short, byte, unsignedLong, unsignedInt, unsignedShort, unsignedByte
    case duration, dateTime, time, date, gYearMonth, gYear, gMonthDay, gDay, gMonth
    case hexBinary, base64Binary, anyURI
    case qName = "QName"
    case notation = "NOTATION"
}
