// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Built-in schemas, because many descriptions refer to them without a document, or by a URL without a schema.
package enum WellKnownSchemas {
    /// The built-in schemas by target namespace, written from the specifications.
    package static let texts: [String: String] = [
        KnownNamespaces.xml: xml, KnownNamespaces.soap11Encoding: encoding(KnownNamespaces.soap11Encoding),
        KnownNamespaces.soap12Encoding: encoding(KnownNamespaces.soap12Encoding),
        "http://www.w3.org/2005/05/xmlmime": mime("http://www.w3.org/2005/05/xmlmime"),
        "http://www.w3.org/2004/11/xmlmime": mime("http://www.w3.org/2004/11/xmlmime"),
        "http://www.w3.org/2004/08/xop/include": xop,
        "http://www.w3.org/2005/08/addressing": addressing("http://www.w3.org/2005/08/addressing"),
        "http://schemas.xmlsoap.org/ws/2004/08/addressing":
            addressing("http://schemas.xmlsoap.org/ws/2004/08/addressing"),
        "http://schemas.xmlsoap.org/soap/envelope/": soap11Envelope,
        "http://www.w3.org/2003/05/soap-envelope": soap12Envelope,
        "http://docs.oasis-open.org/wsn/b-2": baseNotification,
        "http://docs.oasis-open.org/wsn/t-1": topics,
        "http://docs.oasis-open.org/wsrf/bf-2": baseFaults,
    ]
}

// MARK: Parts

extension WellKnownSchemas {
    /// Returns a lax wildcard for any number of elements.
    static func any(_ namespace: String) -> String {
        "<xs:any namespace=\"\(namespace)\" processContents=\"lax\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>"
    }

    /// Returns a type that allows any elements, and attributes of other namespaces.
    private static func openType(_ name: String) -> String {
        """
        <xs:complexType name="\(name)"><xs:sequence>\(any("##any"))</xs:sequence>\
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        """
    }

    /// Returns a URI type with attributes.
    private static func attributedURI(_ name: String, _ attributes: String = "") -> String {
        """
        <xs:complexType name="\(name)"><xs:simpleContent><xs:extension base="xs:anyURI">\(attributes)\
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
        """
    }

    /// Returns a binary type with a media type attribute.
    private static func binary(_ name: String) -> String {
        """
        <xs:complexType name="\(name)"><xs:simpleContent><xs:extension base="xs:\(name)">\
        <xs:attribute ref="m:contentType"/></xs:extension></xs:simpleContent></xs:complexType>
        """
    }

    /// Returns the type of a fault code, with an optional subcode.
    private static func code(_ name: String) -> String {
        """
        <xs:complexType name="\(name)"><xs:sequence><xs:element name="Value" type="xs:QName"/>\
        <xs:element name="Subcode" type="s:subcode" minOccurs="0"/></xs:sequence></xs:complexType>
        """
    }
}

extension WellKnownSchemas {
    /// XML 1.0 sections 2.10 and 2.12, XML Base, xml:id.
    static let xml = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/XML/1998/namespace">
          <xs:attribute name="lang" type="xs:string"/>
          <xs:attribute name="space">
            <xs:simpleType>
              <xs:restriction base="xs:NCName">
                <xs:enumeration value="default"/>
                <xs:enumeration value="preserve"/>
              </xs:restriction>
            </xs:simpleType>
          </xs:attribute>
          <xs:attribute name="base" type="xs:anyURI"/>
          <xs:attribute name="id" type="xs:ID"/>
          <xs:attributeGroup name="specialAttrs">
            <xs:attribute ref="xml:base"/>
            <xs:attribute ref="xml:lang"/>
            <xs:attribute ref="xml:space"/>
            <xs:attribute ref="xml:id"/>
          </xs:attributeGroup>
        </xs:schema>
        """

    /// Describing Media Content of Binary Data in XML, section 2.
    static func mime(_ namespace: String) -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:m="\(namespace)" targetNamespace="\(namespace)">
          <xs:attribute name="contentType">
            <xs:simpleType>
              <xs:restriction base="xs:string">
                <xs:minLength value="3"/>
              </xs:restriction>
            </xs:simpleType>
          </xs:attribute>
          <xs:attribute name="expectedContentTypes" type="xs:string"/>
          \(["base64Binary", "hexBinary"].map(binary).joined())
        </xs:schema>
        """
    }

    /// XML-binary Optimized Packaging, section 2.1.
    static let xop = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xop="http://www.w3.org/2004/08/xop/include"
            targetNamespace="http://www.w3.org/2004/08/xop/include">
          <xs:element name="Include" type="xop:Include"/>
          <xs:complexType name="Include">
            <xs:sequence>
              \(any("##other"))
            </xs:sequence>
            <xs:attribute name="href" type="xs:anyURI" use="required"/>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
        </xs:schema>
        """

    /// Web Services Addressing 1.0 Core section 2.2, and the submission of 2004, which are almost equal in this part.
    static func addressing(_ namespace: String) -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wsa="\(namespace)" targetNamespace="\(namespace)"
            elementFormDefault="qualified">
          <xs:element name="EndpointReference" type="wsa:EndpointReferenceType"/>
          <xs:complexType name="EndpointReferenceType">
            <xs:sequence>
              <xs:element name="Address" type="wsa:AttributedURIType"/>
              <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          \(["AttributedURIType", "AttributedURI"].map { attributedURI($0) }.joined())
          \(attributedURI("RelatesToType", #"<xs:attribute name="RelationshipType" type="xs:anyURI"/>"#))
          <xs:element name="MessageID" type="wsa:AttributedURIType"/>
          <xs:element name="RelatesTo" type="wsa:RelatesToType"/>
          <xs:element name="To" type="wsa:AttributedURIType"/>
          <xs:element name="Action" type="wsa:AttributedURIType"/>
          <xs:element name="From" type="wsa:EndpointReferenceType"/>
          <xs:element name="ReplyTo" type="wsa:EndpointReferenceType"/>
          <xs:element name="FaultTo" type="wsa:EndpointReferenceType"/>
        </xs:schema>
        """
    }

    /// SOAP 1.1 section 5, SOAP 1.2 Part 2 section 3.
    ///
    /// The compiler replaces the simple types of this schema with those of XML Schema.
    static func encoding(_ namespace: String) -> String {
        let elements = BuiltInType.allCases.filter { $0 != .anyType && $0 != .anySimpleType }
            .map { "<xs:element name=\"\($0.rawValue)\" type=\"xs:\($0.rawValue)\"/>" }.joined()
        return """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:e="\(namespace)" targetNamespace="\(namespace)">
              \(elements)
              <xs:element name="Array" type="e:Array"/>
              <xs:element name="Struct" type="xs:anyType"/>
              <xs:complexType name="Array">
                <xs:sequence>
                  \(any("##any"))
                </xs:sequence>
                <xs:attributeGroup ref="e:arrayAttributes"/>
                <xs:attributeGroup ref="e:commonAttributes"/>
              </xs:complexType>
              <xs:attribute name="arrayType" type="xs:string"/>
              <xs:attribute name="offset" type="xs:string"/>
              <xs:attribute name="position" type="xs:string"/>
              <xs:attribute name="root" type="xs:boolean"/>
              <xs:attribute name="itemType" type="xs:QName"/>
              <xs:attribute name="arraySize" type="xs:string"/>
              <xs:attribute name="nodeType" type="xs:string"/>
              <xs:attributeGroup name="commonAttributes">
                <xs:attribute name="id" type="xs:ID"/>
                <xs:attribute name="href" type="xs:anyURI"/>
                <xs:anyAttribute namespace="##other" processContents="lax"/>
              </xs:attributeGroup>
              <xs:attributeGroup name="arrayAttributes">
                <xs:attribute ref="e:arrayType"/>
                <xs:attribute ref="e:offset"/>
              </xs:attributeGroup>
            </xs:schema>
            """
    }

    /// SOAP 1.1 section 4; faults and envelopes allow any content.
    static let soap11Envelope = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
            targetNamespace="http://schemas.xmlsoap.org/soap/envelope/">
          <xs:element name="Envelope" type="xs:anyType"/>
          <xs:element name="Header" type="xs:anyType"/>
          <xs:element name="Body" type="xs:anyType"/>
          <xs:element name="Fault" type="s:Fault"/>
          <xs:complexType name="Fault">
            <xs:sequence>
              <xs:element name="faultcode" type="xs:QName"/>
              <xs:element name="faultstring" type="xs:string"/>
              <xs:element name="faultactor" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="detail" type="xs:anyType" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          <xs:attribute name="mustUnderstand" type="xs:boolean"/>
          <xs:attribute name="actor" type="xs:anyURI"/>
          <xs:attribute name="encodingStyle" type="xs:anyURI"/>
        </xs:schema>
        """

    /// SOAP 1.2 Part 1 section 5; headers, bodies and details allow any content.
    static let soap12Envelope = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:s="http://www.w3.org/2003/05/soap-envelope"
            targetNamespace="http://www.w3.org/2003/05/soap-envelope" elementFormDefault="qualified">
          <xs:element name="Envelope" type="s:Envelope"/>
          <xs:complexType name="Envelope">
            <xs:sequence>
              <xs:element ref="s:Header" minOccurs="0"/>
              <xs:element ref="s:Body"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:element name="Header" type="s:Header"/>\(openType("Header"))
          <xs:element name="Body" type="s:Body"/>\(openType("Body"))
          <xs:element name="Fault" type="s:Fault"/>
          <xs:complexType name="Fault">
            <xs:sequence>
              <xs:element name="Code" type="s:faultcode"/>
              <xs:element name="Reason" type="s:faultreason"/>
              <xs:element name="Node" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="Role" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="Detail" type="s:detail" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          \(["faultcode", "subcode"].map(code).joined())
          <xs:complexType name="faultreason">
            <xs:sequence>
              <xs:element name="Text" type="s:reasontext" maxOccurs="unbounded"/>
            </xs:sequence>
          </xs:complexType>
          <xs:complexType name="reasontext">
            <xs:simpleContent>
              <xs:extension base="xs:string">
                <xs:attribute ref="xml:lang" use="required"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          \(openType("detail"))
          <xs:attribute name="mustUnderstand" type="xs:boolean"/>
          <xs:attribute name="role" type="xs:anyURI"/>
          <xs:attribute name="relay" type="xs:boolean"/>
          <xs:attribute name="encodingStyle" type="xs:anyURI"/>
        </xs:schema>
        """
}
