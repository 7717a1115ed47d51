// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Testing

@testable import PKCS11

@Suite struct TokenURITests {
    @Test(
        "A URI is read, and written in canonical form",
        arguments: [
            ("pkcs11:", "pkcs11:"),
            ("pkcs11:token=home", "pkcs11:token=home"),
            ("PKCS11:token=home", "pkcs11:token=home"),
            ("pkcs11:object=issuing;token=home", "pkcs11:token=home;object=issuing"),
            ("pkcs11:token=The%20house;serial=%30%31", "pkcs11:token=The%20house;serial=01"),
            ("pkcs11:token=a%3Bb%3fc%25", "pkcs11:token=a%3Bb%3Fc%25"),
            ("pkcs11:token=a:[]@!$'()*+,=&", "pkcs11:token=a%3A%5B%5D%40%21%24%27%28%29%2A%2B%2C%3D%26"),
            ("pkcs11:model=m;manufacturer=M%C3%BCller", "pkcs11:manufacturer=M%C3%BCller;model=m"),
            ("pkcs11:id=%00%ffA;type=private", "pkcs11:id=%00%FF%41"),
            ("pkcs11:token=", "pkcs11:token="),
            ("pkcs11:token=home?module-path=/usr/lib/a.so", "pkcs11:token=home"),
            ("pkcs11:token=home?", "pkcs11:token=home"),
        ])
    func read(text: String, written: String) throws {
        let uri = try TokenURI(text)
        #expect(uri.description == written)
        var known = try TokenURI(written)
        #expect(known.module == nil)
        known = uri.naming(object: "a", id: [1])
        #expect(try TokenURI(known.description) == known)
    }

    @Test("Each attribute has its value") func attributes() throws {
        let uri = try TokenURI(
            "pkcs11:token=t;serial=s;manufacturer=M;model=m;object=o;id=%01?module-path=/lib/a%20b.so")
        #expect([uri.token, uri.serial, uri.manufacturer, uri.model, uri.object] == ["t", "s", "M", "m", "o"])
        #expect(uri.id == [1])
        #expect(uri.module == "/lib/a b.so")
        #expect(uri.withoutObject.description == "pkcs11:token=t;manufacturer=M;model=m;serial=s")
    }

    @Test(
        "A malformed URI is refused with the position",
        arguments: [
            ("", 0), ("home", 0), ("pkcs12:token=home", 0), ("pkcs11", 0),
            ("pkcs11:token", 7), ("pkcs11:=home", 7), ("pkcs11:token=a;", 15), ("pkcs11:token=a;;serial=1", 15),
            ("pkcs11:to ken=a", 9), ("pkcs11:token=a b", 14), ("pkcs11:token=%", 13), ("pkcs11:token=%4", 13),
            ("pkcs11:token=%zz", 13), ("pkcs11:token=%+1", 13), ("pkcs11:token=%FF", 13), ("pkcs11:token=ü", 13),
            ("pkcs11:token=a/b", 14), ("pkcs11:token=a?module-path", 15), ("pkcs11:token=a#b", 14),
        ])
    func malformed(text: String, offset: Int) {
        #expect(throws: TokenError.malformedURI(offset: offset)) { try TokenURI(text) }
    }

    @Test("A URI that exceeds the maximum length is refused") func long() {
        let text = "pkcs11:token=" + String(repeating: "a", count: 4_096)
        #expect(throws: TokenError.malformedURI(offset: 4_096)) { try TokenURI(text) }
    }

    @Test(
        "An attribute that is unknown or repeated is refused",
        arguments: [
            ("pkcs11:slot-id=1", "slot-id"), ("pkcs11:Token=a", "Token"), ("pkcs11:token=a;token=a", "token"),
            ("pkcs11:id=%01;id=%01", "id"), ("pkcs11:type=cert", "type"), ("pkcs11:module-path=a", "module-path"),
            ("pkcs11:token=a?pin-source=file:/a", "pin-source"), ("pkcs11:token=a?token=b", "token"),
            ("pkcs11:token=a?x-vendor=1", "x-vendor"),
        ])
    func unknown(text: String, name: String) {
        #expect(throws: TokenError.unknownAttribute(name)) { try TokenURI(text) }
    }

    @Test(
        "A URI with a PIN is refused, and the error does not contain the PIN",
        arguments: [
            "pkcs11:token=a?pin-value=hunter2", "pkcs11:token=a;pin-value=hunter2", "pkcs11:token=%?pin-value=hunter2",
            "pkcs11:token=a?pin-value=hunter2%", "pkcs11:token=a?hunter2", "pkcs11:token=a?pin-value=hunter2 ",
        ])
    func pin(text: String) {
        #expect {
            try TokenURI(text)
        } throws: { error in
            let explanation = (error as? TokenError)?.explanation
            return explanation != nil && !"\(error)".contains("hunter2")
                && !String(reflecting: error).contains("hunter2")
        }
    }
}
