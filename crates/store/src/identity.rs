//! Who is asking, as a value that the rest of the store demands.

use ibid_domain::{TenantId, UserId};
use uuid::Uuid;

use crate::{
    Error, Result, Tx,
    sql::{SqlRow, params},
};

/// The proof that someone was recognised, and what they may see. Only this module mints one, so a function that
/// takes a `Scope` cannot be reached by someone who was not recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
    user: Option<UserId>,
    role: UserRole,
}

impl Scope {
    /// The tenant whose rows may be seen.
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Returns the acting user; `None` for the system.
    pub fn user(&self) -> Option<UserId> {
        self.user
    }

    /// Returns the role, which limits what the caller can do.
    pub fn role(&self) -> UserRole {
        self.role
    }

    /// The system's own scope for a job of this tenant, on behalf of whoever asked for it.
    pub(crate) fn of_job(tenant: TenantId, user: Option<UserId>) -> Self {
        Self { tenant, user, role: UserRole::Owner }
    }
}

/// Role of a user in a tenant; each includes the rights of those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserRole {
    /// Can read, but not change anything.
    Viewer,
    /// Can read and change the library.
    Member,
    /// Also manages people and settings.
    Admin,
    /// Also owns the tenant itself.
    Owner,
}

impl std::str::FromStr for UserRole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "viewer" => Self::Viewer,
            "member" => Self::Member,
            "admin" => Self::Admin,
            "owner" => Self::Owner,
            _ => return Err(()),
        })
    }
}

/// The tenant and user of a library without login.
const LOCAL_TENANT: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001);
const LOCAL_USER: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0002);

impl Tx {
    /// Makes the tenant and owner of a library without login, if they are not there yet.
    pub(crate) async fn ensure_local_owner(&mut self) -> Result<()> {
        let now = self.now();
        self.execute(
            "INSERT INTO tenants (id, name, created_at) VALUES ($1, 'local', $2) ON CONFLICT (id) DO NOTHING",
            params![LOCAL_TENANT, now],
        )
        .await?;
        self.execute(
            "INSERT INTO users (id, tenant_id, name, role, created_at) VALUES ($1, $2, 'local', 'owner', $3)
             ON CONFLICT (id) DO NOTHING",
            params![LOCAL_USER, LOCAL_TENANT, now],
        )
        .await?;
        Ok(())
    }

    /// The scope of the one user of a library without login.
    pub async fn local_owner(&mut self) -> Result<Scope> {
        let row =
            self.fetch_optional("SELECT tenant_id, id, role FROM users WHERE id = $1", params![LOCAL_USER]).await?;
        let row = row.ok_or_else(|| Error::Corrupt("the local user is missing".to_owned()))?;
        scope_of(&row)
    }

    /// The system's scope in every tenant, for upkeep of the whole library.
    pub async fn every_tenant(&mut self) -> Result<Vec<Scope>> {
        let rows = self.fetch_all("SELECT id FROM tenants ORDER BY id", vec![]).await?;
        rows.iter().map(|row| Ok(Scope { tenant: row.get("id")?, user: None, role: UserRole::Owner })).collect()
    }

    /// Makes a tenant with its owner.
    pub async fn create_tenant(&mut self, name: &str) -> Result<Scope> {
        let (tenant, user, now) = (TenantId::new(), UserId::new(), self.now());
        self.execute("INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3)", params![tenant, name, now])
            .await?;
        self.execute(
            "INSERT INTO users (id, tenant_id, name, role, created_at) VALUES ($1, $2, $3, 'owner', $4)",
            params![user, tenant, name, now],
        )
        .await?;
        Ok(Scope { tenant, user: Some(user), role: UserRole::Owner })
    }
}

fn scope_of(row: &SqlRow) -> Result<Scope> {
    Ok(Scope { tenant: row.get("tenant_id")?, user: Some(row.get("id")?), role: row.parse("role")? })
}
