//! The certificate authority of a private fleet, and the certificate of its server.

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};

/// A certificate could not be made.
#[derive(Debug, thiserror::Error)]
#[error("a certificate could not be made: {0}")]
pub struct CertificateError(#[from] rcgen::Error);

/// A certificate authority that signs the certificate of one server.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate_pem: String,
}

/// A certificate and its key.
pub(super) struct Issued {
    pub(super) certificate_pem: String,
    pub(super) key_pem: String,
}

impl Authority {
    /// Makes a new authority.
    pub(super) fn generate() -> Result<Self, CertificateError> {
        Self::with_key(KeyPair::generate()?)
    }

    /// Makes an authority from its key. Everything but the signature is the same every time.
    pub(super) fn from_key(key_pem: &str) -> Result<Self, CertificateError> {
        Self::with_key(KeyPair::from_pem(key_pem)?)
    }

    fn with_key(key: KeyPair) -> Result<Self, CertificateError> {
        // The default validity reaches beyond any wrong clock.
        let mut params = CertificateParams::default();
        params.distinguished_name = named("playself fleet");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let certificate_pem = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate_pem })
    }

    pub(super) fn key_pem(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    pub(super) fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Makes a certificate for a server with these names and addresses.
    pub(super) fn issue(&self, hosts: &[String]) -> Result<Issued, CertificateError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(hosts)?;
        params.distinguished_name = named("playself fleet server");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate_pem = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Issued { certificate_pem, key_pem: key.serialize_pem() })
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}
