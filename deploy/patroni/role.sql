-- Once, on the primary, as postgres: the gateway's role and database.
CREATE ROLE trivium LOGIN PASSWORD 'change-me-4';
ALTER ROLE trivium SET timezone = 'UTC';
ALTER ROLE trivium SET statement_timeout = 15000;
ALTER ROLE trivium SET idle_in_transaction_session_timeout = 60000;
ALTER ROLE trivium SET jit = off;
ALTER ROLE trivium SET parallel_setup_cost = 10000;
ALTER ROLE trivium SET plan_cache_mode = force_generic_plan;
CREATE DATABASE trivium OWNER trivium;
