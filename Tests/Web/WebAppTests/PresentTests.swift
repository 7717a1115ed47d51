// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import Keychains
@testable import WebApp
import ChallengeLab
import CommandSupport
import ErrorChecks
import EssentialFoundation
import HTTPTypes
import KeychainAgents
import Secrets
import Testing

private enum Pictures {
    /// A red square of 8 by 8 pixels in PNG.
    static let picture = [UInt8](
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4oKCAFTEMLQkAKj9AAQUJSn0AAAAASUVORK5CYII="
        ) ?? Data())
    /// The header of a PNG image of 10,000 by 10,000 pixels.
    static let bomb = [UInt8](
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAJxAAACcQCAIAAAA1LPVwAAAADElEQVR42mNgoD0AAABkAAG4me+ZAAAAAElFTkSuQmCC"
        ) ?? Data())

    /// A red square of 8 by 8 pixels in each format, created with libvips.
    static let formats: [(name: String, loader: String, bytes: [UInt8])] = [
        ("PNG", "pngload", picture),
        (
            "JPEG", "jpegload",
            decoded(
                """
                /9j/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/\
                2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAAR\
                CAAIAAgDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQID\
                AAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNk\
                ZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl\
                5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC\
                AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpj\
                ZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk\
                5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDj6KKK8c/Rz//Z
                """)
        ),
        (
            "progressive JPEG", "jpegload",
            decoded(
                """
                /9j/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/\
                2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wgAR\
                CAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBv/aAAwDAQACEAMQ\
                AAABjgdH/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABBQJ//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF/\
                /8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBAB\
                AAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyF//9oADAMBAAIAAwAAABAH/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEB\
                PxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxB//9k=
                """)
        ),
        (
            "GIF", "gifload",
            decoded(
                """
                R0lGODlhCAAIAIAAAEdwTMAgICH/C05FVFNDQVBFMi4wAwEAAAAh+QQFAAAAACwAAAAACAAIAAACB4yPqcvtXQAAOw==
                """)
        ),
        (
            "GIF of three pictures", "gifload",
            decoded(
                """
                R0lGODlhCAAIAIAAAEdwTMAgICH/C05FVFNDQVBFMi4wAwEAAAAh+QQFAAAAACwAAAAACAAIAAACB4yPqcvtXQAAIfkEBQAA\
                AAAsAAAAAAEAAQCAR3BMwCAgAgJEAQAh+QQFAAAAACwAAAAAAQABAIBHcEzAICACAkQBADs=
                """)
        ),
        (
            "WebP", "webpload",
            decoded(
                """
                UklGRgwBAABXRUJQVlA4WAoAAAAIAAAABwAABwAAVlA4ICwAAACQAQCdASoIAAgAAgA0JaACdLoAA5gA/vBsr+6L7UVgB/7K\
                x/6Dv/0Hf7JAAEVYSUa6AAAARXhpZgAASUkqAAgAAAAGABIBAwABAAAAAQAAABoBBQABAAAAVgAAABsBBQABAAAAXgAAACgB\
                AwABAAAAAgAAABMCAwABAAAAAQAAAGmHBAABAAAAZgAAAAAAAAAvGQEA6AMAAC8ZAQDoAwAABgAAkAcABAAAADAyMTABkQcA\
                BAAAAAECAwAAoAcABAAAADAxMDABoAMAAQAAAP//AAACoAQAAQAAAAgAAAADoAQAAQAAAAgAAAAAAAAA
                """)
        ),
        (
            "TIFF", "tiffload",
            decoded(
                """
                SUkqADAAAACAMAQCAAQWDQeEQmBQSEw2GwuHRGDxCJRKKRWHReMQqBxuMx2PQmAgEAAAAQMAAQAAAAgAAAABAQMAAQAAAAgA\
                AAACAQMAAwAAAAYBAAADAQMAAQAAAAUAAAAGAQMAAQAAAAIAAAARAQQAAQAAAAgAAAASAQMAAQAAAAEAAAAVAQMAAQAAAAMA\
                AAAWAQMAAQAAAIAAAAAXAQQAAQAAACgAAAAaAQUAAQAAAPYAAAAbAQUAAQAAAP4AAAAcAQMAAQAAAAEAAAAoAQMAAQAAAAMA\
                AAA9AQMAAQAAAAIAAABTAQMAAwAAAAwBAAAAAAAAKVxxAAAABAApXHEAAAAEAAgACAAIAAEAAQABAA==
                """)
        ),
        (
            "TIFF of three pictures", "tiffload",
            decoded(
                """
                SUkqADAAAACAMAQCAAQWDQeEQmBQSEw2GwuHRGDxCJRKKRWHReMQqBxuMx2PQmAgEgD+AAQAAQAAAAIAAAAAAQMAAQAAAAgA\
                AAABAQMAAQAAAAgAAAACAQMAAwAAAB4BAAADAQMAAQAAAAUAAAAGAQMAAQAAAAIAAAARAQQAAQAAAAgAAAASAQMAAQAAAAEA\
                AAAVAQMAAQAAAAMAAAAWAQMAAQAAAIAAAAAXAQQAAQAAACgAAAAaAQUAAQAAAA4BAAAbAQUAAQAAABYBAAAcAQMAAQAAAAEA\
                AAAoAQMAAQAAAAMAAAApAQMAAgAAAAAAAwA9AQMAAQAAAAIAAABTAQMAAwAAACQBAABSAQAAKVxxAAAABAApXHEAAAAEAAgA\
                CAAIAAEAAQABAIAwBAIABBYNB4RCYFBITDYbC4dEYPEIlEopFYdF4xCoHG4zHY9CYCASAP4ABAABAAAAAgAAAAABAwABAAAA\
                CAAAAAEBAwABAAAACAAAAAIBAwADAAAAQAIAAAMBAwABAAAABQAAAAYBAwABAAAAAgAAABEBBAABAAAAKgEAABIBAwABAAAA\
                AQAAABUBAwABAAAAAwAAABYBAwABAAAAgAAAABcBBAABAAAAKAAAABoBBQABAAAAMAIAABsBBQABAAAAOAIAABwBAwABAAAA\
                AQAAACgBAwABAAAAAwAAACkBAwACAAAAAQADAD0BAwABAAAAAgAAAFMBAwADAAAARgIAAHQCAAApXHEAAAAEAClccQAAAAQA\
                CAAIAAgAAQABAAEAgDAEAgAEFg0HhEJgUEhMNhsLh0Rg8QiUSikVh0XjEKgcbjMdj0JgIBIA/gAEAAEAAAACAAAAAAEDAAEA\
                AAAIAAAAAQEDAAEAAAAIAAAAAgEDAAMAAABiAwAAAwEDAAEAAAAFAAAABgEDAAEAAAACAAAAEQEEAAEAAABMAgAAEgEDAAEA\
                AAABAAAAFQEDAAEAAAADAAAAFgEDAAEAAACAAAAAFwEEAAEAAAAoAAAAGgEFAAEAAABSAwAAGwEFAAEAAABaAwAAHAEDAAEA\
                AAABAAAAKAEDAAEAAAADAAAAKQEDAAIAAAACAAMAPQEDAAEAAAACAAAAUwEDAAMAAABoAwAAAAAAAClccQAAAAQAKVxxAAAA\
                BAAIAAgACAABAAEAAQA=
                """)
        ),
    ]

    private static func decoded(_ text: String) -> [UInt8] { [UInt8](Data(base64Encoded: text) ?? Data()) }
}

@Suite struct PresentTests {
    private static let locked = "The keychain is locked"
    // MARK: Notes

    @Test("A present is added, found, edited and deleted") func note() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            #expect(try await scene.get("/presents").text.contains("You have no presents yet."))
            let markup = "<b>&\"'</b>"
            let added = try await scene.submit(
                "/presents/add", ["title": " For \n Mary \(markup)", "text": "one\r\ntwo \(markup)"])
            #expect(added.text.contains("For Mary &lt;b&gt;") && added.text.contains("one\ntwo &lt;b&gt;&amp;"))
            #expect(!added.text.contains(markup))
            // Browsers store a page's title in their history.
            #expect(added.text.contains("<title>Present – Countersign</title>"))
            let items = try await scene.keychain().items(KeychainQuery(.note))
            let item = try #require(items.first)
            #expect(item.label == "For Mary \(markup)")
            try await scene.submit("/presents/add", ["title": "", "text": ""])
            #expect(try await scene.get("/presents").text.contains("Untitled"))
            let found = try await scene.submit("/presents/search", ["text": "mary"])
            #expect(found.text.contains("For Mary") && !found.text.contains("Untitled"))
            #expect(try await scene.submit("/presents/search", ["text": "bob"]).text.contains("Nothing was found."))
            let path = "/presents/item/\(item.id)"
            #expect(try await scene.get(path + "/edit").text.contains("one\ntwo &lt;b&gt;"))
            let edited = try await scene.submit(path + "/edit", ["title": "For Bob", "text": "three"])
            #expect(edited.text.contains("For Bob") && edited.text.contains("three"))
            #expect(try await scene.get(path + "/file").text == "three")
            #expect(try await scene.get(path + "/thumbnail").text.contains("<svg"))
            #expect(try await scene.get(path + "/remove").text.contains("Delete this present?"))
            #expect(try await scene.submit(path + "/remove").text.contains("Deleted."))
            #expect(try await scene.get(path).text.contains("There is no such present."))
        }
    }

    @Test("A credential is not listed as a present") func credential() async throws {
        try await CredentialsScene.run { scene in
            let password = NewItem.genericPassword(Secret("hidden"), service: "mail", account: "mary")
            let item = try await scene.keychain().add(password)
            try await scene.unlock()
            for path in ["", "/edit", "/remove", "/picture", "/file", "/export"] {
                let page = try await scene.get("/presents/item/\(item.id)\(path)")
                #expect(page.text.contains("There is no such present.") && !page.text.contains("hidden"))
            }
            #expect(!(try await scene.get("/presents").text.contains("mary")))
        }
    }

    @Test("Attachments of other programs are kept") func others() async throws {
        try await CredentialsScene.run { scene in
            let file = NewItem.Attachment(name: "list.csv", bytes: Array("a,b".utf8))
            let item = try await scene.keychain().add(.note(Secret("text"), attachments: [file], label: "List"))
            try await scene.unlock()
            let edited = try await scene.submit(
                "/presents/item/\(item.id)/edit", ["title": "New list", "text": "new text"])
            #expect(edited.text.contains("list.csv") && edited.text.contains("new text"))
            let keychain = try await scene.keychain()
            #expect(try await keychain.attachment("list.csv", of: keychain.item(item.id)) == Array("a,b".utf8))
        }
    }

    // MARK: Pictures

    private static let unreadable = "not a picture that can be read"

    @Test(
        "A picture is scaled, kept through an edit, replaced and removed",
        .enabled(if: PictureScaler.isInstalled, "vipsthumbnail is not installed"))
    func picture() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let name = try #require(try await scene.upload(Pictures.picture, to: "/presents/picture").name)
            #expect(try await scene.get("/presents/picture/\(name)").status == 200)
            try await scene.submit("/presents/add", ["title": "Red", "text": "square", "picture": name])
            #expect(try await scene.get("/presents/picture/\(name)").text.contains("is no longer stored"))
            let keychain = try await scene.keychain()
            let id = try #require(try await keychain.items(KeychainQuery(.note)).first).id
            func attachment(_ name: String) async throws -> [UInt8] {
                try await keychain.attachment(name, of: keychain.item(id))
            }
            for name in ["picture.jpg", "thumbnail.jpg"] {
                #expect(try await attachment(name).starts(with: [0xFF, 0xD8, 0xFF]))
            }
            try await scene.submit("/presents/item/\(id)/edit", ["title": "Red", "text": "circle"])
            _ = try await attachment("picture.jpg")
            let page = try await scene.submit(
                "/presents/item/\(id)/edit", ["title": "Red", "text": "circle", "without-picture": "on"])
            #expect(!page.text.contains("<img src=\"/presents"))
            await #expect(throws: KeychainError.noAttachment("picture.jpg")) { try await attachment("picture.jpg") }
        }
    }

    @Test(
        "Invalid and too large pictures are refused",
        .enabled(if: PictureScaler.isInstalled, "vipsthumbnail is not installed"),
        arguments: [
            ("a PNG of 10,000 by 10,000 pixels", Pictures.bomb, "10000 by 10000 pixels"),
            ("half a PNG", Array(Pictures.picture.prefix(40)), unreadable),
            ("SVG", Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8), unreadable),
            ("HTML", Array("<html><script>alert(1)</script>".utf8), unreadable),
            ("PDF", Array("%PDF-1.4".utf8), unreadable), ("nothing", [], unreadable),
        ])
    func refusedPictures(name: String, bytes: [UInt8], problem: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let answer = try await scene.upload(bytes, to: "/presents/picture")
            #expect(answer.name == nil && answer.problem?.contains(problem) == true, "\(answer)")
            print("web attack: \(name) as the picture of a note: \(answer.problem ?? "")")
        }
    }

    @Test("The end of a picture is found in each format", arguments: Pictures.formats.indices)
    func pictureEnd(index: Int) {
        let (name, loader, bytes) = Pictures.formats[index]
        #expect(PictureCompleteness.isComplete(in: bytes, format: loader))
        #expect(PictureCompleteness.isComplete(in: bytes + Array("what follows".utf8), format: loader))
        guard loader != "webpload" else { return }
        // A GIF may end after an image, without its trailer.
        let ends = loader == "gifload" ? [66, 95, 124] : []
        for count in bytes.indices {
            let isComplete = PictureCompleteness.isComplete(in: Array(bytes.prefix(count)), format: loader)
            #expect(isComplete == ends.contains(count), "\(name), \(count) bytes")
        }
    }

    @Test(
        "A truncated picture is refused, and bytes after its end are removed",
        .enabled(if: PictureScaler.isInstalled, "vipsthumbnail is not installed"), arguments: Pictures.formats.indices)
    func cutPictures(index: Int) async throws {
        let (_, loader, bytes) = Pictures.formats[index]
        // The last byte of a GIF is its trailer, which some programs omit.
        let last = bytes.count - (loader == "gifload" ? 2 : 1)
        for appended in ["", "what follows"] {
            let picture = try await PictureScaler.scale(bytes + Array(appended.utf8))
            #expect(picture.picture.suffix(2) == [0xFF, 0xD9])
        }
        for count in [1, bytes.count / 2, bytes.count * 9 / 10, last - 1, last] {
            await #expect(throws: PresentError.unreadablePicture, "\(count) of \(bytes.count) bytes") {
                try await PictureScaler.scale(Array(bytes.prefix(count)))
            }
        }
    }

    @Test(
        "A truncated picture is accepted neither for a present nor from a fetch",
        .enabled(if: PictureScaler.isInstalled, "vipsthumbnail is not installed"))
    func cutUpload() async throws {
        let cut = Array(Pictures.picture.dropLast(16))
        let server = try await ScriptedServer.start { _ in .init(.ok, [.contentType: "image/png"], body: cut) }
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let answer = try await scene.upload(cut, to: "/presents/picture")
            #expect(answer.name == nil && answer.problem?.contains("It is cut off, damaged") == true)
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/"])
            try await scene.wait(for: "/fetch/1/keep", at: "/fetch/1")
            #expect(try await scene.submit("/fetch/1/keep").text.contains("presents.unreadable-picture"))
        }
        await server.stop()
    }

    @Test("A file is accepted only from the application's page, and within limits") func uploads() async throws {
        try await CredentialsScene.run { scene in
            #expect(
                try await scene.upload(Pictures.picture, to: "/presents/picture").problem?.contains("unlock") == true)
            try await scene.unlock()
            let stale = try await scene.upload(Pictures.picture, to: "/presents/picture", token: "wrong")
            #expect(stale.problem?.hasPrefix("HTTP/1.1 403") == true)
            let form = try await scene.post("/presents/picture", ["picture": "text"])
            #expect(form.status == 403)
            let long = try await scene.upload([UInt8](repeating: 0, count: 25 << 20), to: "/presents/picture")
            #expect(long.name == nil && long.problem?.contains("longer than 24 MiB") == true)
            #expect(try await scene.keychain().items().isEmpty)
        }
    }

    // MARK: Locking

    @Test(
        "A locked keychain shows no presents",
        arguments: [
            "", "/add", "/item/1", "/item/1/edit", "/item/1/remove", "/item/1/picture", "/item/1/thumbnail",
            "/item/1/file", "/item/1/export", "/export",
        ])
    func locked(path: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.keychain().add(.note(Secret("secret text"), label: "Rollerskates"))
            let page = try await scene.get("/presents" + path)
            #expect(page.text.contains(Self.locked) && page.text.contains("value=\"/presents\(path)\""))
            #expect(!page.text.contains("Rollerskates"))
            let unlocked = try await scene.submit(
                "/keychain/unlock", ["passphrase": CredentialsScene.passphrase, "place": "/presents" + path])
            #expect(unlocked.status == 200 && !unlocked.text.contains(Self.locked))
            try await scene.submit("/keychain/lock", ["place": "/presents"])
            #expect(try await scene.get("/presents" + path).text.contains(Self.locked))
        }
    }

    @Test(
        "Unlocking leads to pages of the keychain only",
        arguments: [
            "//evil.example", "https://evil.example", "/presentsX", "/presents/../settings", "/presents\r\nX: y", "",
        ])
    func places(place: String) async throws {
        try await CredentialsScene.run { scene in
            let fields = ["passphrase": CredentialsScene.passphrase, "place": place]
            let answer = try await scene.post("/keychain/unlock", fields)
            #expect(answer.status == 303 && ["/credentials", "/presents"].contains(answer.place))
        }
    }

    @Test("A PIN opens the keychain, and guesses are delayed") func pin() async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            let passphrase = CredentialsScene.passphrase
            let fields = ["passphrase": passphrase, "again": passphrase, "place": "/presents"]
            let short = try await scene.submit("/keychain/make", fields.merging(["pin": "123"]) { $1 })
            #expect(short.status == 403 && !FileManager.default.fileExists(atPath: scene.path))
            let made = try await scene.submit("/keychain/make", fields.merging(["pin": "271828"]) { $1 })
            #expect(made.text.contains("You have no presents yet."))
            try await scene.submit("/keychain/lock")
            #expect(try await scene.get("/presents").text.contains("name=\"pin\""))
            var answer = ""
            // On a slow computer, the first delays may end during the attempts.
            for _ in 0..<8 where !answer.contains("Too many") {
                answer = try await scene.submit("/keychain/unlock", ["pin": "999999", "place": "/presents"]).text
            }
            #expect(answer.contains("Too many"), "\(answer)")
            let opened = try await scene.submit(
                "/keychain/unlock", ["passphrase": passphrase, "place": "/presents"])
            #expect(opened.text.contains("You have no presents yet."))
        }
    }

    @Test("The keychain is locked after a period without requests") func idle() async throws {
        try await CredentialsScene.run { scene in
            let folder = URL(filePath: scene.path).deletingLastPathComponent().deletingLastPathComponent().path
            let keychain = WebKeychain(environment: [
                "COUNTERSIGN_HOME": folder, "XDG_STATE_HOME": folder + "/state", "XDG_RUNTIME_DIR": folder + "/run",
            ])
            try await keychain.unlock(.passphrase(Secret(CredentialsScene.passphrase)))
            await keychain.recordUse(idleLimit: .seconds(3600))
            #expect(try await Self.isOpen(keychain))
            await keychain.recordUse(idleLimit: .zero)
            for _ in 0..<1000 where try await Self.isOpen(keychain) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(!(try await Self.isOpen(keychain)))
        }
    }

    private static func isOpen(_ keychain: WebKeychain) async throws -> Bool {
        if case .open = try await keychain.state { true } else { false }
    }

    @Test(
        "The input of a form is retained while the keychain is locked",
        arguments: ["/presents/add", "/presents/item/1/edit"])
    func draft(path: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.keychain().add(.note(Secret("old"), label: "Old", comment: "kept"))
            let form = try await scene.submit(path, ["title": "Half", "text": "a sentence"])
            #expect(form.text.contains(Self.locked) && !form.text.contains("a sentence"))
            let place = try #require(form.field("place"))
            let fields = ["passphrase": CredentialsScene.passphrase, "place": place]
            let filled = try await scene.submit("/keychain/unlock", fields)
            #expect(filled.text.contains("value=\"Half\"") && filled.text.contains("a sentence"))
            try await scene.submit(path, ["title": "Whole", "text": "a sentence."])
            let items = try await scene.keychain().items()
            #expect(items.last?.label == "Whole" && items.first?.comment == "kept")
        }
    }

    @Test("A form whose picture was discarded is shown again with its text") func lostPicture() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let page = try await scene.submit(
                "/presents/add", ["title": "Red", "text": "square", "picture": "unknown"])
            #expect(page.text.contains("choose it again") && page.text.contains("square"))
            #expect(try await scene.keychain().items().isEmpty)
        }
    }

    // MARK: Sealed files

    @Test("Presents are exported to a sealed file, and imported from it once") func sealed() async throws {
        let file = try await SealedFile.make()
        #expect(!file.isEmpty && file.ranges(of: Array("Rollerskates".utf8)).isEmpty)
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let name = try #require(try await scene.upload(file, to: "/presents/sealed").name)
            let wrong = try await scene.submit("/presents/import", ["sealed": name, "passphrase": "wrong"])
            #expect(wrong.status == 400 && wrong.text.contains("name=\"sealed\" value=\"\(name)\""))
            #expect(wrong.text.contains("The passphrase does not open the sealed file."))
            #expect(wrong.text.contains("The file is ready."))
            let fields = ["sealed": name, "passphrase": SealedFile.passphrase]
            #expect(try await scene.submit("/presents/import", fields).text.contains("were added"))
            let again = try #require(try await scene.upload(file, to: "/presents/sealed").name)
            let second = ["sealed": again, "passphrase": SealedFile.passphrase]
            #expect(try await scene.submit("/presents/import", second).text.contains("were here before"))
            let keychain = try await scene.keychain()
            let item = try #require(try await keychain.items().first)
            #expect(item.label == "Rollerskates")
            #expect(try await keychain.attachment("picture.jpg", of: item) == [1, 2, 3])
            let junk = try #require(try await scene.upload(Array("junk".utf8), to: "/presents/sealed").name)
            let refused = try await scene.submit("/presents/import", ["sealed": junk, "passphrase": "x"])
            #expect(refused.status == 400)
            #expect(try await keychain.items().count == 1)
        }
    }

    /// A file that is uploaded instead of a sealed one.
    enum OtherFile: CaseIterable {
        case picture, empty, otherDatabase, cut, changed

        var words: String {
            switch self {
            case .picture, .empty, .otherDatabase: "The file that you chose is not a sealed file."
            case .cut, .changed: "The sealed file is damaged."
            }
        }

        func bytes(_ sealed: [UInt8]) -> [UInt8] {
            switch self {
            case .picture: return Pictures.formats[1].bytes
            case .empty: return []
            case .otherDatabase:
                // The file consists of one page without tables (SQLite's file format, sections 1.3 and 1.6).
                var page = Array("SQLite format 3\0".utf8) + [2, 0, 1, 1, 0, 64, 32, 32]
                page += [UInt8](repeating: 0, count: 512 - page.count)
                for (index, byte) in [(27, 1), (31, 1), (47, 4), (59, 1), (95, 1), (100, 13), (105, 2)] {
                    page[index] = UInt8(byte)
                }
                return page
            case .cut: return Array(sealed.prefix(sealed.count / 2))
            case .changed:
                // Changes begin at the second page, so that the first one is that of a keychain.
                return sealed.enumerated().map {
                    $0.offset > 40_000 && $0.offset % 64 == 0 ? $0.element ^ 0xFF : $0.element
                }
            }
        }
    }

    @Test(
        "A file that is not a sealed file is reported, and not as damage of the keychain", arguments: OtherFile.allCases
    )
    func otherFile(_ other: OtherFile) async throws {
        let bytes = other.bytes(try await SealedFile.make())
        try await CredentialsScene.run { scene in
            try await scene.keychain().add(.note(Secret("own"), label: "Own"))
            try await scene.unlock()
            let name = try #require(try await scene.upload(bytes, to: "/presents/sealed").name)
            let fields = ["sealed": name, "passphrase": SealedFile.passphrase]
            let page = try await scene.submit("/presents/import", fields)
            #expect(page.status == 400 && page.text.contains(other.words), "\(page.text)")
            #expect(!page.text.contains("check the disk") && !page.text.contains("The keychain is damaged"))
            #expect(page.text.contains("Own") && !page.text.contains("The file is ready."))
            // The uploaded file is discarded after the first attempt.
            #expect(try await scene.submit("/presents/import", fields).text.contains("is no longer stored"))
            #expect(try await scene.keychain().items().count == 1)
        }
    }

    private enum SealedFile {
        static let passphrase = "red sledge in the attic"

        /// Creates a sealed file with the page.
        static func make() async throws -> [UInt8] {
            try await CredentialsScene.run { scene in
                let picture = NewItem.Attachment(name: "picture.jpg", mediaType: "image/jpeg", bytes: [1, 2, 3])
                try await scene.keychain().add(.note(Secret("size 38"), attachments: [picture], label: "Rollerskates"))
                try await scene.unlock()
                let weak = try await scene.submit("/presents/export", ["passphrase": "12345678", "again": "12345678"])
                #expect(weak.text.contains("easily guessed"))
                return try await scene.download("/presents/export", ["passphrase": passphrase, "again": passphrase])
            }
        }
    }

    @Test("Each error explains itself") func errors() { #expect(problems(of: PresentError.examples).isEmpty) }
}
