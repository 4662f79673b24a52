-- Once, on the primary, as postgres: the gateway's role, with the settings that a pooler does not pass on (docs/scaling.md), and its database.
CREATE ROLE trivium LOGIN PASSWORD 'change-me-4';
ALTER ROLE trivium SET timezone = 'UTC';
ALTER ROLE trivium SET statement_timeout = 15000;
ALTER ROLE trivium SET idle_in_transaction_session_timeout = 60000;
ALTER ROLE trivium SET jit = off;
ALTER ROLE trivium SET parallel_setup_cost = 10000;
ALTER ROLE trivium SET plan_cache_mode = force_generic_plan;
ALTER ROLE trivium SET enable_memoize = off;
ALTER ROLE trivium SET search_path = 'public';
ALTER ROLE trivium SET DateStyle = 'ISO, MDY';
ALTER ROLE trivium SET bytea_output = 'hex';
ALTER ROLE trivium SET default_transaction_isolation = 'read committed';
CREATE DATABASE trivium OWNER trivium;
