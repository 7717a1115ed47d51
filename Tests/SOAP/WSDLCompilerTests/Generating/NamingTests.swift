// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import WSDLCompiler

@Suite struct NamingTests {
    @Test(
        "Names of types are in UpperCamel case",
        arguments: [
            ("account", "Account"), ("accountNumber", "AccountNumber"), ("account_number", "AccountNumber"),
            ("account-number", "AccountNumber"), ("account.number", "AccountNumber"),
            ("ACCOUNT_NUMBER", "AccountNumber"),
            ("URL", "URL"), ("HTTPStatus", "HTTPStatus"), ("_hidden", "Hidden"), ("_1", "Value1"),
            ("__", "UnderscoreUnderscore"),
            ("Straße", "Straße"), ("größe", "Größe"), ("ßeta", "Sseta"), ("价格", "价格Type"), ("t3", "T3"), ("é", "É"),
        ])
    func types(name: String, expected: String) {
        #expect(SwiftName.type(name) == expected)
    }

    @Test(
        "Names of members are in lowerCamel case, with acronyms in one case",
        arguments: [
            ("Account", "account"), ("AccountNumber", "accountNumber"), ("URL", "url"), ("URLs", "urls"),
            ("IDs", "ids"),
            ("HTTPStatus", "httpStatus"), ("XMLHttpRequest", "xmlHttpRequest"), ("eMail", "eMail"), ("ID", "id"),
            ("CustomerID", "customerID"), ("SHA1Digest", "sha1Digest"), ("ACCOUNT_NUMBER", "accountNumber"), ("A", "a"),
            ("aB", "aB"), ("x-y", "xY"), ("_", "underscore"), ("_1st", "value1st"), ("Ärger", "ärger"), ("v2", "v2"),
        ])
    func members(name: String, expected: String) {
        #expect(SwiftName.member(name) == expected)
    }

    @Test(
        "Every text results in a valid case name",
        arguments: [
            ("", "empty"), ("Active", "active"), ("NOT_ACTIVE", "notActive"), ("10", "value10"), ("-1", "minus1"),
            ("1.5", "value1Point5"), ("<=", "lessEquals"), (" ", "space"), ("a b c", "aBC"), ("+", "plus"),
            ("C++", "cPlusPlus"),
            ("100%", "value100"), ("http://example.com/Role", "httpExampleComRole"), ("☃", "symbol"),
        ])
    func cases(value: String, expected: String) {
        #expect(SwiftName.enumerationCase(value) == expected)
    }

    @Test("A sentence results in a short name")
    func sentence() {
        let name = SwiftName.enumerationCase(String(repeating: "every word of it ", count: 40))
        #expect(name.count <= 70)
        #expect(name.hasPrefix("everyWordOfIt"))
    }

    @Test(
        "Keywords are in backticks, except as labels", arguments: ["default", "in", "protocol", "any", "repeat", "is"])
    func keywords(name: String) {
        #expect(SwiftName.escaped(name) == "`\(name)`")
        #expect(SwiftName.label(name) == name)
    }

    @Test("A name that is in use is replaced by the next candidate, and then gets a number")
    func scope() {
        var scope = NameScope(reserved: ["String"])
        #expect(scope.claim("String", or: "StringType") == "StringType")
        #expect(scope.claim("String", or: "StringType") == "StringType2")
        #expect(scope.claim("x") == "x")
        #expect(scope.claim("x") == "x2")
        #expect(scope.claim("x2") == "x2No2")
        #expect(scope.claim("x") == "x3")
    }

    @Test(
        "A namespace is named after its host and the significant path segments",
        arguments: [
            ("http://www.onvif.org/ver10/media/wsdl", "OnvifMedia"), ("urn:bank", "Bank"),
            ("http://tempuri.org/", "Tempuri"),
            ("", "NoNamespace"), ("http://ec2.amazonaws.com/doc/2012-06-15/", "Amazonaws"),
            ("urn:acme:orders:v2", "AcmeOrders"),
            ("http://schemas.xmlsoap.org/soap/envelope/", "XmlsoapEnvelope"), ("foo", "Foo"),
            ("http://example.co.uk/prices", "ExamplePrices"), ("http://10.0.0.1/service", "Service"),
            ("http://10.0.0.1/", "Value1"),
        ])
    func namespaces(namespace: String, expected: String) {
        #expect(NamespaceName.names(of: [namespace])[namespace] == expected)
    }

    @Test("Namespaces with the same short name get longer ones, which differ case-insensitively")
    func namespaceClashes() {
        let names = NamespaceName.names(of: [
            "http://a.test/v1/types", "http://a.test/v2/types", "urn:X", "urn:x", "http://b.test/types",
        ])
        #expect(names["http://a.test/v1/types"] == "AV1Types")
        #expect(names["http://a.test/v2/types"] == "AV2Types")
        #expect(names["http://b.test/types"] == "B")
        #expect(names["urn:X"] == "X")
        #expect(names["urn:x"] == "X2")
    }

    @Test(
        "Literals show every character visibly",
        arguments: [
            ("a\"b", "\"a\\\"b\""), ("a\\(b)", "\"a\\\\(b)\""), ("a\nb\t", "\"a\\nb\\t\""),
            ("\u{202E}x", "\"\\u{202E}x\""),
            ("é€", "\"é€\""),
        ])
    func literals(text: String, expected: String) {
        #expect(SourceText.literal(text) == expected)
    }
}
